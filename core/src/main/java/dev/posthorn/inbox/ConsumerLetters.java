package dev.posthorn.inbox;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import dev.posthorn.log.SchemaName;
import dev.posthorn.log.Sql;
import dev.posthorn.sink.Cause;
import dev.posthorn.sink.Storable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Dead letters of a consumer, in the same tables as those of a relay. They belong to the subscription of the consumer's
 * name, which wants no events of the log: it is there for their replay.
 */
final class ConsumerLetters {

    /** The place is one that no event of the log has or will have. */
    private static final String BURY = """
            INSERT INTO posthorn.dead_letter
                   (subscription_id, txid, seq, event_id, source_id, source, type, version, aggregate_type, key,
                    content_type, payload, headers, occurred_at, recorded_at,
                    attempts, error_class, error_message, cause, first_failed_at, last_failed_at, holds_key)
            SELECT id, pg_current_xact_id(), nextval('posthorn.event_seq'), :event_id, :source_id, :source, :type,
                   :version, :aggregate_type, :key, :content_type, :payload,
                   jsonb_object(:header_names::text[], :header_values::text[]),
                   coalesce(:occurred_at::timestamptz, posthorn.clock()), posthorn.clock(), :attempts, :error_class,
                   :error_message, :cause, posthorn.clock() - :first_ago * interval '1 microsecond', posthorn.clock(), false
              FROM posthorn.subscription WHERE name = :consumer
            RETURNING subscription_id, seq
            """;

    private static final String ADD_ATTEMPTS = """
            INSERT INTO posthorn.attempt
                   (subscription_id, seq, number, started_at, took_ms, outcome, error_class, message, instance)
            SELECT :subscription, :seq, :earlier + number, posthorn.clock() - ago * interval '1 microsecond', took,
                   CASE error_class WHEN 'rejected' THEN 'REJECT' ELSE 'RETRY' END, error_class, message, :consumer
              FROM unnest(:ago::bigint[], :took::bigint[], :error_classes::text[], :messages::text[])
                   WITH ORDINALITY AS a (ago, took, error_class, message, number)
            """;

    private final Sql bury;
    private final Sql addAttempts;

    ConsumerLetters(SchemaName schema) {
        this.bury = Sql.of(schema, BURY);
        this.addAttempts = Sql.of(schema, ADD_ATTEMPTS);
    }

    void bury(Connection connection, String consumer, Event event, List<FailedAttempt> attempts, int earlier)
            throws SQLException {
        try (PreparedStatement statement = bury.prepare(connection, letter(consumer, event, attempts, earlier));
                ResultSet row = statement.executeQuery()) {
            if (!row.next()) {
                throw new PosthornException(
                        ErrorCode.NOT_FOUND,
                        "there is no subscription named '" + consumer + "' that could hold the dead letters of this"
                                + " consumer; a relay that serves the consumer's subscription makes it");
            }
            Map<String, @Nullable Object> letter = new HashMap<>();
            letter.put("subscription", row.getLong("subscription_id"));
            letter.put("seq", row.getLong("seq"));
            letter.put("earlier", earlier);
            letter.put("consumer", consumer);
            addAttempts(connection, letter, attempts);
        }
    }

    private static Map<String, @Nullable Object> letter(
            String consumer, Event event, List<FailedAttempt> attempts, int earlier) {
        FailedAttempt last = attempts.get(attempts.size() - 1);
        List<Map.Entry<String, String>> headers = List.copyOf(event.headers().entrySet());
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("consumer", consumer);
        values.put("event_id", event.id());
        values.put("source_id", event.sourceId());
        values.put("source", event.source());
        values.put("type", event.type());
        values.put("version", event.version());
        values.put("aggregate_type", event.aggregateType());
        values.put("key", event.key());
        values.put("content_type", event.contentType());
        values.put("payload", event.payload());
        values.put("header_names", headers.stream().map(Map.Entry::getKey).toArray(String[]::new));
        values.put("header_values", headers.stream().map(Map.Entry::getValue).toArray(String[]::new));
        values.put("occurred_at", event.occurredAt());
        values.put("attempts", earlier + attempts.size());
        values.put("error_class", last.errorClass().label());
        values.put("error_message", Storable.text(last.reason()));
        values.put("cause", Cause.of(String.valueOf(Storable.text(last.reason()))));
        values.put("first_ago", microsecondsAgo(attempts.get(0)));
        return values;
    }

    private void addAttempts(Connection connection, Map<String, @Nullable Object> letter, List<FailedAttempt> attempts)
            throws SQLException {
        Map<String, @Nullable Object> values = new HashMap<>(letter);
        values.put("ago", numbers(attempts, ConsumerLetters::microsecondsAgo));
        values.put("took", numbers(attempts, attempt -> attempt.took().toMillis()));
        values.put(
                "error_classes", texts(attempts, attempt -> attempt.errorClass().label()));
        values.put("messages", texts(attempts, attempt -> Storable.text(attempt.reason())));
        try (PreparedStatement statement = addAttempts.prepare(connection, values)) {
            statement.executeUpdate();
        }
    }

    private static long microsecondsAgo(FailedAttempt attempt) {
        return Duration.ofNanos(System.nanoTime() - attempt.startedNanos()).toNanos() / 1000;
    }

    private static Long[] numbers(List<FailedAttempt> attempts, Function<FailedAttempt, Long> value) {
        return attempts.stream().map(value).toArray(Long[]::new);
    }

    private static @Nullable String[] texts(
            List<FailedAttempt> attempts, Function<FailedAttempt, @Nullable String> value) {
        List<@Nullable String> texts = new ArrayList<>();
        attempts.forEach(attempt -> texts.add(value.apply(attempt)));
        return texts.toArray(new String[0]);
    }
}
