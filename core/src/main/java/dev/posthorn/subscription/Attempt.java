package dev.posthorn.subscription;

import dev.posthorn.log.Queries;
import dev.posthorn.sink.Reply;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One try to deliver an event to one subscription.
 *
 * @param number counted from 1; the same number again means that the attempt before was not counted
 * @param outcome DELIVERED, RETRY, REJECT or UNAVAILABLE
 * @param reply what the receiver said, if it said anything
 * @param instance the relay that tried
 */
public record Attempt(
        int number,
        Instant startedAt,
        Duration took,
        String outcome,
        @Nullable String errorClass,
        @Nullable String message,
        @Nullable Reply reply,
        String instance) {

    /** From a row with the columns of the table, but for those that say which event it is about. */
    public static Attempt read(ResultSet row) throws SQLException {
        return new Attempt(
                row.getInt("number"),
                Queries.time(row, "started_at"),
                Duration.ofMillis(row.getLong("took_ms")),
                row.getString("outcome"),
                row.getString("error_class"),
                row.getString("message"),
                row.getString("reply") == null ? null : new Reply(row.getInt("reply_code"), row.getString("reply")),
                row.getString("instance"));
    }
}
