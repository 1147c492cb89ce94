package dev.posthorn.server.guard;

import dev.posthorn.log.Queries;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What became of an event at a guard.
 *
 * @param id its place in lists
 * @param sourceId the event's id as its source gave it, if that is another text than its UUID
 * @param attempt how many requests there have been
 * @param left how long a request that is on its way has until it is in doubt
 * @param status what the target answered
 * @param sameContent whether it was the content that is asked about; true if nobody asks
 */
record Forward(
        long id,
        UUID eventId,
        String source,
        @Nullable String sourceId,
        String type,
        ForwardState state,
        int attempt,
        String instance,
        Instant begunAt,
        Instant changedAt,
        Duration left,
        @Nullable Integer status,
        @Nullable String reply,
        @Nullable String errorClass,
        @Nullable String reason,
        @Nullable Decided decided,
        boolean sameContent) {

    /** What an operator decided last. */
    record Decided(Decision decision, String by, @Nullable String reason, Instant at) {}

    static Forward of(ResultSet row) throws SQLException {
        return new Forward(
                row.getLong("id"),
                row.getObject("event_id", UUID.class),
                row.getString("source"),
                row.getString("source_id"),
                row.getString("type"),
                ForwardState.valueOf(row.getString("state")),
                row.getInt("attempt"),
                row.getString("instance"),
                Queries.time(row, "begun_at"),
                Queries.time(row, "changed_at"),
                Duration.ofMillis(row.getLong("left_millis")),
                row.getObject("status", Integer.class),
                row.getString("reply"),
                row.getString("error_class"),
                row.getString("reason"),
                decided(row),
                row.getBoolean("same_content"));
    }

    private static @Nullable Decided decided(ResultSet row) throws SQLException {
        String decision = row.getString("decision");
        return decision == null
                ? null
                : new Decided(
                        Decision.valueOf(decision),
                        row.getString("decided_by"),
                        row.getString("decision_reason"),
                        Queries.time(row, "decided_at"));
    }
}
