package dev.posthorn.server.deadletters;

import dev.posthorn.log.Queries;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Database;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/** Writes dead letters into a hub's database as lanes write them. */
final class Letters {

    private static final String WRITE = """
            INSERT INTO posthorn.dead_letter (subscription_id, txid, seq, event_id, source, type, version, key,
                content_type, payload, headers, occurred_at, recorded_at, attempts, error_class, error_message, cause,
                first_failed_at, last_failed_at, holds_key)
            SELECT s.id, '1', nextval('posthorn.event_seq'), :event_id, :source, :type, 1, :key, 'application/json',
                   convert_to('{"n": 1.50}', 'UTF8'), '{"tenant": "7"}', now(), now(), 5, :error_class, :error_message,
                   :cause, now(), now(), false
              FROM posthorn.subscription s WHERE s.name = :subscription
            RETURNING id
            """;

    private final Queries queries;

    Letters(TestHub hub) {
        this.queries = hub.bean(Database.class).queries();
    }

    /** What a letter has unless it is said otherwise. */
    static Map<String, Object> usual(String subscription) {
        Map<String, Object> values = new HashMap<>();
        values.put("subscription", subscription);
        values.put("event_id", UUID.randomUUID());
        values.put("source", "shop");
        values.put("type", "order.placed");
        values.put("key", UUID.randomUUID().toString());
        values.put("error_class", "refused");
        values.put("error_message", "Connection refused: port 9999");
        values.put("cause", "Connection refused: port #");
        return values;
    }

    long write(String subscription) {
        return write(usual(subscription));
    }

    long write(Map<String, Object> values) {
        return queries.run(
                "writing a letter",
                t -> t.first(WRITE, values, row -> row.getLong(1)).orElseThrow());
    }

    void change(String assignments, long id) {
        queries.run(
                "changing a letter",
                t -> t.update("UPDATE posthorn.dead_letter SET " + assignments + " WHERE id = :id", Map.of("id", id)));
    }

    void run(String sql) {
        queries.run("changing", t -> t.update(sql, Map.of()));
    }

    /** The first column of the first row, as text. */
    String value(String sql) {
        return queries.run(
                "looking",
                t -> t.first(sql, Map.of(), row -> String.valueOf(row.getString(1)))
                        .orElse("nothing"));
    }
}
