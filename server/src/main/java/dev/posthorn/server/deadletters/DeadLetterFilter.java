package dev.posthorn.server.deadletters;

import dev.posthorn.deadletter.DeadLetterQuery;
import dev.posthorn.deadletter.DeadLetterQuery.State;
import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.server.ingest.Sources;
import dev.posthorn.server.json.Texts;
import dev.posthorn.server.web.Parameters;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Which dead letters, in the query of a URL or in a body: those that meet every field that is given.
 *
 * @param messageId the event's id, a UUID or the source's own
 * @param subscriberId the subscription's name
 * @param errorMessage the message holds this text, in whatever case
 * @param from last failed at or after
 * @param to last failed before
 * @param replayed yes: sent again in vain since; no: never
 * @param discarded no, unless given: open ones; yes: discarded ones; any: both
 */
public record DeadLetterFilter(
        @Schema(description = "the event's id, a UUID or the source's own") @Nullable
        String messageId,

        @Schema(description = "the subscription's name") @Nullable
        String subscriberId,

        @Schema(description = "the message holds this text, in whatever case; no character is a wildcard") @Nullable
        String errorMessage,

        @Nullable String errorClass,
        @Schema(description = "as a group has it") @Nullable String cause,
        @Nullable String type,
        @Nullable String source,
        @Nullable String key,

        @Schema(description = "last failed at or after") @Nullable
        String from,

        @Schema(description = "last failed before") @Nullable
        String to,

        @Nullable String attemptsAtLeast,

        @Schema(description = "yes: sent again in vain since it is a dead letter; no: never") @Nullable
        String replayed,

        @Schema(description = "no, which is meant if it is left out: open ones; yes: discarded ones; any: both")
        @Nullable
        String discarded) {

    /** As the core asks. A field that breaks a rule is refused by the name that it has here. */
    public DeadLetterQuery.Builder query(Sources sources) {
        DeadLetterQuery.Builder query = DeadLetterQuery.builder();
        given("source", source, query::source);
        given("messageId", messageId, text -> query.eventIds(sources.candidates(text, source)));
        given("subscriberId", subscriberId, query::subscription);
        given("errorMessage", errorMessage, query::errorMessage);
        given("errorClass", errorClass, query::errorClass);
        given("cause", cause, query::cause);
        given("type", type, query::type);
        given("key", key, query::key);
        given("from", from, text -> query.from(time("from", text)));
        given("to", to, text -> query.to(time("to", text)));
        given("attemptsAtLeast", attemptsAtLeast, text -> query.attemptsAtLeast(number("attemptsAtLeast", text)));
        given("replayed", replayed, text -> query.replayed(yes("replayed", text)));
        given("discarded", discarded, text -> query.state(state(text)));
        return query;
    }

    /** Passes on what is given, and tells a refusal by the field's name. */
    static void given(String field, @Nullable String text, Consumer<String> take) {
        if (text == null) {
            return;
        }
        try {
            take.accept(text);
        } catch (PosthornException e) {
            if (e.code() != ErrorCode.INVALID_REQUEST) {
                throw e;
            }
            throw Parameters.refused(field, rule(String.valueOf(e.getMessage())));
        }
    }

    /** The core's words begin with its own name for the field. */
    private static String rule(String message) {
        return message.substring(message.indexOf(' ') + 1);
    }

    /** No time is so long that its quotation is not all of it. */
    private static Instant time(String field, String text) {
        return Parameters.time(field, Texts.quote(text));
    }

    private static int number(String field, String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw Parameters.refused(field, "is '" + Texts.quote(text) + "'; it must be a whole number");
        }
    }

    private static boolean yes(String field, String text) {
        return switch (text) {
            case "yes", "true" -> true;
            case "no", "false" -> false;
            default -> throw Parameters.refused(field, "is '" + Texts.quote(text) + "'; it must be yes or no");
        };
    }

    private static State state(String text) {
        if (text.equals("any")) {
            return State.ANY;
        }
        return yes("discarded", text) ? State.DISCARDED : State.OPEN;
    }
}
