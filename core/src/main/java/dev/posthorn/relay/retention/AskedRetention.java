package dev.posthorn.relay.retention;

import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import dev.posthorn.log.Session;
import dev.posthorn.log.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * For how long whoever was told wants things kept. It is stored, because relays of several applications forget in one
 * schema, and the one that keeps for longest need not be running when another looks for what is old.
 */
public final class AskedRetention {

    private static final String ASK = """
            INSERT INTO posthorn.retention (asker, log_ms, attempts_ms, dead_letters_ms, inbox_entries_ms)
            VALUES (:asker, :log, :attempts, :dead_letters, :inbox_entries)
                ON CONFLICT (asker) DO UPDATE
               SET log_ms = excluded.log_ms, attempts_ms = excluded.attempts_ms,
                   dead_letters_ms = excluded.dead_letters_ms, inbox_entries_ms = excluded.inbox_entries_ms,
                   asked_at = excluded.asked_at
            """;

    private static final String ASKED =
            "SELECT log_ms, attempts_ms, dead_letters_ms, inbox_entries_ms FROM posthorn.retention";

    private AskedRetention() {}

    /** From now on nothing is forgotten earlier by anybody; a former wish of the same asker is void. */
    public static void ask(DataSource dataSource, SchemaName schema, String asker, Retention retention) {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("asker", asker);
        values.put("log", millis(retention.log()));
        values.put("attempts", millis(retention.attempts()));
        values.put("dead_letters", millis(retention.deadLetters()));
        values.put("inbox_entries", millis(retention.inboxEntries()));
        new Queries(dataSource, schema).run("storing a retention", t -> t.update(ASK, values));
    }

    /** The longest period of each kind, of this one and of all that were asked for. */
    static Retention longest(Session session, Retention own) {
        return session.query("looking for retentions", Sql.of(session.schema(), ASKED), Map.of(), rows -> {
            Retention longest = own;
            while (rows.next()) {
                longest = longest.orLonger(new Retention(
                        age(rows, "log_ms"),
                        age(rows, "attempts_ms"),
                        age(rows, "dead_letters_ms"),
                        age(rows, "inbox_entries_ms"),
                        own.interval()));
            }
            return longest;
        });
    }

    private static @Nullable Long millis(@Nullable Duration age) {
        return age == null ? null : age.toMillis();
    }

    private static @Nullable Duration age(ResultSet row, String column) throws SQLException {
        long millis = row.getLong(column);
        return row.wasNull() ? null : Duration.ofMillis(millis);
    }
}
