package dev.posthorn.spring.operating;

import dev.posthorn.audit.Actor;
import dev.posthorn.deadletter.DeadLetterQuery;
import dev.posthorn.deadletter.DeadLetters;
import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.error.Requests;
import dev.posthorn.relay.Relay;
import dev.posthorn.replay.ReplayQuery;
import dev.posthorn.replay.ReplayRequest;
import dev.posthorn.replay.Replays;
import dev.posthorn.status.Gauges;
import java.security.Principal;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.context.properties.PropertyMapper;

/** How subscriptions stand, their dead letters, and replays: for operators of the application, over its actuator. */
@WebEndpoint(id = "posthorn")
final class PosthornEndpoint {

    private static final PropertyMapper GIVEN = PropertyMapper.get();

    private static final String LETTERS = "dead-letters";
    private static final String REPLAYS = "replays";

    /** Who somebody is whom nobody asked. */
    private static final String ANONYMOUS = "anonymous";

    private final Gauges gauges;
    private final DeadLetters letters;
    private final Replays replays;
    private final Supplier<@Nullable Relay> relay;

    PosthornEndpoint(Gauges gauges, DeadLetters letters, Replays replays, Supplier<@Nullable Relay> relay) {
        this.gauges = gauges;
        this.letters = letters;
        this.replays = replays;
        this.relay = relay;
    }

    @ReadOperation
    Map<String, Object> status() {
        Map<String, Object> status = new LinkedHashMap<>();
        Relay running = relay.get();
        status.put("relay", running != null && running.isRunning() ? "running" : "none in this instance");
        status.put("subscriptions", gauges.all());
        return status;
    }

    /** A page of dead letters, or of replays. */
    @ReadOperation
    WebEndpointResponse<Object> list(
            @Selector String what,
            @Nullable UUID eventId,
            @Nullable String subscription,
            @Nullable String errorMessage,
            @Nullable String errorClass,
            @Nullable String cause,
            @Nullable String type,
            @Nullable String source,
            @Nullable String key,
            @Nullable Instant from,
            @Nullable Instant to,
            @Nullable Integer attemptsAtLeast,
            @Nullable Boolean replayed,
            DeadLetterQuery.@Nullable State state,
            @Nullable Integer limit,
            @Nullable String after) {
        LetterFields fields = new LetterFields(
                eventId,
                subscription,
                errorMessage,
                errorClass,
                cause,
                type,
                source,
                key,
                from,
                to,
                attemptsAtLeast,
                replayed);
        return answer(200, () -> switch (what) {
            case LETTERS -> letters(fields, state, limit, after);
            case REPLAYS -> replays(fields, state, limit, after);
            default -> throw unknown(what);
        });
    }

    private Object letters(
            LetterFields fields,
            DeadLetterQuery.@Nullable State state,
            @Nullable Integer limit,
            @Nullable String after) {
        DeadLetterQuery.Builder query = fields.query().cursor(after);
        GIVEN.from(state).to(query::state);
        GIVEN.from(limit).to(query::pageSize);
        return letters.find(query.build());
    }

    private Object replays(
            LetterFields fields,
            DeadLetterQuery.@Nullable State state,
            @Nullable Integer limit,
            @Nullable String after) {
        Requests.require(
                fields.isOnlySubscription() && state == null,
                "replays are found by subscription, limit and after; leave the other fields out");
        ReplayQuery.Builder query = ReplayQuery.builder();
        GIVEN.from(fields.subscription()).to(query::subscription);
        GIVEN.from(limit).to(query::pageSize);
        GIVEN.from(after).as(each -> number("after", each)).to(query::after);
        return replays.find(query.build());
    }

    /** One of them. */
    @ReadOperation
    WebEndpointResponse<Object> get(@Selector String what, @Selector String id) {
        return answer(200, () -> switch (what) {
            case LETTERS -> LetterDetail.of(letters.get(number("id", id)));
            case REPLAYS -> replays.get(number("id", id));
            default -> throw unknown(what);
        });
    }

    /** Starts a replay, or with {@code dryRun} only tells what it would do. */
    @WriteOperation
    WebEndpointResponse<Object> replay(
            @Selector String what,
            SecurityContext security,
            @Nullable Long id,
            @Nullable UUID eventId,
            @Nullable String subscription,
            @Nullable String errorMessage,
            @Nullable String errorClass,
            @Nullable String cause,
            @Nullable String type,
            @Nullable String source,
            @Nullable String key,
            @Nullable Instant from,
            @Nullable Instant to,
            @Nullable Integer attemptsAtLeast,
            @Nullable Boolean replayed,
            @Nullable String reason,
            @Nullable Double ratePerSecond,
            @Nullable Boolean dryRun) {
        LetterFields fields = new LetterFields(
                eventId,
                subscription,
                errorMessage,
                errorClass,
                cause,
                type,
                source,
                key,
                from,
                to,
                attemptsAtLeast,
                replayed);
        boolean isDry = Boolean.TRUE.equals(dryRun);
        return answer(isDry ? 200 : 202, () -> {
            if (!what.equals(REPLAYS)) {
                throw unknown(what);
            }
            ReplayRequest request = selected(id, fields)
                    .reason(reason)
                    .ratePerSecond(ratePerSecond)
                    .build();
            return isDry ? replays.preview(request) : replays.start(request, actor(security));
        });
    }

    private static ReplayRequest.Builder selected(@Nullable Long id, LetterFields fields) {
        if (id != null) {
            Requests.require(fields.isEmpty(), "id names one dead letter; leave the other fields out");
            return ReplayRequest.ofDeadLetter(id);
        }
        Requests.require(
                !fields.isEmpty(),
                "nothing says which dead letters to replay; give id, or at least one of eventId, subscription,"
                        + " errorMessage, errorClass, cause, type, source, key, from, to, attemptsAtLeast, replayed");
        return ReplayRequest.ofQuery(fields.query().build());
    }

    private static Actor actor(SecurityContext security) {
        Principal principal = security.getPrincipal();
        return Actor.named(principal == null ? ANONYMOUS : principal.getName());
    }

    private static long number(String field, String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw Requests.refuse(field + " is '" + text + "'; it must be a whole number");
        }
    }

    private static PosthornException unknown(String what) {
        return Requests.notFound("there is no '" + what + "' here; there are " + LETTERS + " and " + REPLAYS);
    }

    private static WebEndpointResponse<Object> answer(int status, Supplier<Object> work) {
        try {
            return new WebEndpointResponse<>(work.get(), status);
        } catch (PosthornException e) {
            if (e.code().kind() != ErrorCode.Kind.USER) {
                throw e;
            }
            return new WebEndpointResponse<>(Map.of("error", String.valueOf(e.getMessage())), refusal(e.code()));
        }
    }

    private static int refusal(ErrorCode code) {
        return switch (code) {
            case NOT_FOUND -> 404;
            case CONFLICT -> 409;
            default -> 400;
        };
    }
}
