package dev.posthorn.server.replay;

import com.fasterxml.jackson.annotation.Nulls;
import dev.posthorn.deadletter.DeadLetter;
import dev.posthorn.deadletter.DeadLetterQuery;
import dev.posthorn.deadletter.DeadLetters;
import dev.posthorn.replay.ReplayPace;
import dev.posthorn.replay.ReplayRequest;
import dev.posthorn.server.documents.ReasonDocument;
import dev.posthorn.server.ingest.Sources;
import dev.posthorn.server.json.Texts;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Violation;
import dev.posthorn.server.settings.HubSettings;
import dev.posthorn.server.web.UnreadableJson;
import dev.posthorn.status.EventSearch;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.json.JsonMapper;

/** Reads what callers ask for. */
final class RequestReader {

    private static final String SELECTIONS = "id, messageId, ids, filter or history";

    private final JsonMapper mapper;
    private final HubSettings settings;
    private final Sources sources;
    private final DeadLetters letters;
    private final EventSearch events;

    /** Like the mapper, and nothing that is meant as one thing is taken for another. */
    RequestReader(JsonMapper mapper, HubSettings settings, Sources sources, DeadLetters letters, EventSearch events) {
        this.settings = settings;
        this.sources = sources;
        this.letters = letters;
        this.events = events;
        this.mapper = mapper.rebuild()
                .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                .changeDefaultNullHandling(nulls -> nulls.withContentNulls(Nulls.FAIL))
                .build();
    }

    ReplayDocument document(byte @Nullable [] body) {
        return read(body, ReplayDocument.class);
    }

    /** A body may be left out. */
    @Nullable
    String reason(byte @Nullable [] body) {
        return body == null || body.length == 0
                ? null
                : read(body, ReasonDocument.class).reason();
    }

    /** Only what is named changes. */
    UnaryOperator<ReplayPace> pace(byte @Nullable [] body) {
        ReplayDocument.PaceDocument wanted = read(body, ReplayDocument.PaceDocument.class);
        JsonNode given = read(body, JsonNode.class);
        if (given.isEmpty()) {
            throw refused("", "names nothing to change; give ratePerSecond, maxInFlight or both, null for no limit");
        }
        return pace -> new ReplayPace(
                given.has("ratePerSecond") ? wanted.ratePerSecond() : pace.ratePerSecond(),
                given.has("maxInFlight") ? wanted.maxInFlight() : pace.maxInFlight());
    }

    private <T> T read(byte @Nullable [] body, Class<T> type) {
        try {
            T read = mapper.readValue(body == null ? new byte[0] : body, type);
            if (read != null) {
                return read;
            }
        } catch (JacksonException e) {
            throw Problem.violated(ProblemType.INVALID_REQUEST, UnreadableJson.violation(e))
                    .asException();
        }
        throw refused("", "the body is null; send a JSON object");
    }

    ReplayRequest request(ReplayDocument document) {
        ReplayRequest.Builder request = selected(document)
                .ratePerSecond(document.ratePerSecond())
                .maxInFlight(document.maxInFlight())
                .stopAtFailureRate(document.stopAtFailureRate())
                .reason(document.reason())
                .reasonAbove(settings.replay().reasonAbove())
                .replayLimit(settings.replay().limit())
                .dedupPeriod(settings.retention().dedupPeriod())
                .logRetention(settings.retention().log());
        if (document.canary() != null && !document.canary().isNull()) {
            addCanary(request, document.canary());
        }
        return request.build();
    }

    private ReplayRequest.Builder selected(ReplayDocument document) {
        requireOneSelection(document);
        if (document.id() != null) {
            return ReplayRequest.ofDeadLetter(document.id());
        }
        if (document.ids() != null) {
            return ReplayRequest.ofDeadLetters(document.ids());
        }
        if (document.filter() != null) {
            return ReplayRequest.ofQuery(document.filter().query(sources).build());
        }
        if (document.history() != null) {
            return history(document.history());
        }
        return ReplayRequest.ofMessage(eventId(Objects.requireNonNull(document.messageId())), document.subscriberId());
    }

    /** By the event's UUID, or by the id that its source gave it. */
    private UUID eventId(String messageId) {
        List<UUID> candidates = sources.candidates(messageId, null);
        List<UUID> found = candidates.size() == 1
                ? candidates
                : letters.find(DeadLetterQuery.builder().eventIds(candidates).build()).letters().stream()
                        .map(DeadLetter::eventId)
                        .distinct()
                        .toList();
        if (found.isEmpty()) {
            throw Problem.of(
                            ProblemType.NOT_FOUND,
                            "no event with the id '" + Texts.quote(messageId)
                                    + "' has a dead letter; GET /v1/dlt-messages lists those that have")
                    .asException();
        }
        if (found.size() > 1) {
            throw refused("messageId", "is the id of events of several sources; give one of " + found);
        }
        return found.get(0);
    }

    private static void requireOneSelection(ReplayDocument document) {
        List<String> given = new ArrayList<>();
        note(given, "id", document.id());
        note(given, "messageId", document.messageId());
        note(given, "ids", document.ids());
        note(given, "filter", document.filter());
        note(given, "history", document.history());
        if (given.isEmpty()) {
            throw refused("", "says nothing to replay; give one of " + SELECTIONS);
        }
        if (given.size() > 1) {
            throw refused("", "names " + String.join(" and ", given) + "; give exactly one of " + SELECTIONS);
        }
        if (document.subscriberId() != null && document.messageId() == null) {
            throw refused("subscriberId", "goes with messageId; filter and history have a subscriberId of their own");
        }
    }

    private static void note(List<String> given, String name, @Nullable Object value) {
        if (value != null) {
            given.add(name);
        }
    }

    private ReplayRequest.Builder history(ReplayDocument.HistoryDocument history) {
        if (history.eventId() != null) {
            return event(required("history.subscriberId", history.subscriberId()), history);
        }
        return ReplayRequest.ofHistory(
                required("history.subscriberId", history.subscriberId()),
                time("history.from", required("history.from", history.from())),
                time("history.to", required("history.to", history.to())),
                history.types() == null ? List.of() : history.types(),
                history.aggregateType(),
                history.key());
    }

    private ReplayRequest.Builder event(String subscriber, ReplayDocument.HistoryDocument history) {
        UUID id = Objects.requireNonNull(history.eventId());
        if (Stream.of(history.from(), history.to(), history.types(), history.aggregateType(), history.key())
                .anyMatch(Objects::nonNull)) {
            throw refused("history.eventId", "names one event; leave all others but subscriberId out");
        }
        return events.get(id, null)
                .map(found ->
                        ReplayRequest.ofEvent(subscriber, id, found.event().createdAt()))
                .orElseThrow(() -> Problem.of(
                                ProblemType.NOT_FOUND,
                                "there is no event with the id " + id
                                        + "; it was never recorded here, or longer ago than the log is kept")
                        .asException());
    }

    private void addCanary(ReplayRequest.Builder request, JsonNode canary) {
        if (canary.isInt()) {
            request.canary(canary.intValue(), false);
            return;
        }
        if (!canary.isObject() || !canary.path("count").isInt()) {
            throw refused("canary", "must be a whole number, or like {\"count\": 10, \"then\": \"wait\"}");
        }
        try {
            ReplayDocument.CanaryDocument read = mapper.treeToValue(canary, ReplayDocument.CanaryDocument.class);
            request.canary(read.count(), goesOn(read.then()));
        } catch (JacksonException e) {
            Violation violation = UnreadableJson.violation(e);
            throw refused("canary." + violation.field(), violation.rule());
        }
    }

    private static boolean goesOn(@Nullable String then) {
        return switch (then == null ? "wait" : then) {
            case "wait" -> false;
            case "go-on" -> true;
            default -> throw refused("canary.then", "is unknown; give wait or go-on");
        };
    }

    private static <T> T required(String field, @Nullable T value) {
        if (value == null) {
            throw refused(field, "is missing; a history needs subscriberId, from and to");
        }
        return value;
    }

    private static Instant time(String field, String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw refused(field, "is not a time; write it with its zone, like 2026-01-31T12:00:00Z");
        }
    }

    static ProblemException refused(String field, String rule) {
        return Problem.violated(ProblemType.INVALID_REQUEST, Violation.of(field, field.isEmpty() ? body(rule) : rule))
                .asException();
    }

    private static String body(String rule) {
        return rule.startsWith("the body") ? rule : "the body " + rule;
    }
}
