package dev.posthorn;

import static java.util.stream.Collectors.joining;

import dev.posthorn.event.Event;
import java.util.UUID;
import java.util.stream.Stream;

/** Writes by hand what lanes write: marks, receipts, delivery rows and dead letters, one at a time. */
public final class TroubleRows {

    /** Before the beginning of the log. */
    public static final String NOTHING = "1:1:";

    private final TestDatabase database;

    public TroubleRows(TestDatabase database) {
        this.database = database;
    }

    public String snapshot() {
        return database.value("SELECT pg_current_snapshot()");
    }

    /** Without generation and lanes. */
    public long subscription(String name) {
        return insert("INSERT INTO posthorn.subscription (name) VALUES ('%s') RETURNING id".formatted(name));
    }

    /** With one generation and one lane, which has settled what is visible in the snapshot. */
    public long subscriptionAt(String name, String snapshot) {
        long id = subscription(name);
        generation(id, 1, 1, snapshot, "");
        lane(id, 1, 0, snapshot, snapshot, 0);
        return id;
    }

    /** {@code more}: further columns and their values, as in {@code ", types = '{a%}'"}. */
    public void generation(long subscription, int number, int lanes, String startA, String more) {
        database.execute(
                """
                INSERT INTO posthorn.generation (subscription_id, number, lanes, era, start_a, start_b)
                VALUES (%d, %d, %d, (SELECT era FROM posthorn.cluster), %5$s, %5$s)
                """.formatted(subscription, number, lanes, number, startA == null ? "NULL" : "'" + startA + "'"));
        database.execute("UPDATE posthorn.generation SET lanes = lanes" + more + " WHERE number = " + number
                + " AND subscription_id = " + subscription);
    }

    public long lane(long subscription, int generation, int index, String a, String b, long seq) {
        long lane = laneWithoutMark(subscription, generation, index);
        database.execute("INSERT INTO posthorn.lane_mark (lane_id, a, b, seq, high_seq, read_seq)"
                + " VALUES (%d, '%s', '%s', %4$d, %4$d, %4$d)".formatted(lane, a, b, seq));
        database.execute("INSERT INTO posthorn.lane_owner (lane_id) VALUES (" + lane + ")");
        return lane;
    }

    /** As an ended generation leaves it. */
    public long laneWithoutMark(long subscription, int generation, int index) {
        return insert("INSERT INTO posthorn.lane (subscription_id, generation, index) VALUES (%d, %d, %d) RETURNING id"
                .formatted(subscription, generation, index));
    }

    public void mark(long subscription, String a, String b, long seq) {
        mark(subscription, "a = '" + a + "', b = '" + b + "', seq = " + seq);
    }

    public void mark(long subscription, String assignments) {
        database.execute("UPDATE posthorn.lane_mark SET " + assignments + " WHERE lane_id IN (SELECT id FROM"
                + " posthorn.lane WHERE subscription_id = " + subscription + ")");
    }

    public void receipt(long subscription, String a, String b, long seq, long count, String settledAt) {
        database.execute("""
                INSERT INTO posthorn.receipt (lane_id, era, a, b, seq, count, settled_at)
                SELECT id, (SELECT era FROM posthorn.cluster), '%s', '%s', %d, %d, %s FROM posthorn.lane
                 WHERE subscription_id = %d
                """.formatted(a, b, seq, count, settledAt, subscription));
    }

    /** A front of a session that is not there, with nobody on it. */
    public UUID front(String a, String b, long seq) {
        return UUID.fromString(
                database.value("INSERT INTO posthorn.front (id, session_id, a, b, seq, read_seq, turn) VALUES"
                        + " (gen_random_uuid(), gen_random_uuid(), '%s', '%s', %3$d, %3$d, 1) RETURNING id"
                                .formatted(a, b, seq)));
    }

    public void front(UUID front, String assignments) {
        database.execute("UPDATE posthorn.front SET " + assignments + " WHERE id = '" + front + "'");
    }

    /** All lanes of the subscription get on. */
    public void ride(long subscription, UUID front) {
        mark(subscription, "front = '" + front + "'");
    }

    /** Of all lanes of these subscriptions, each with so many events. */
    public void frontReceipt(String a, String b, long seq, long count, String settledAt, Long... subscriptions) {
        database.execute("""
                INSERT INTO posthorn.front_receipt (era, a, b, seq, lanes, counts, settled_at)
                SELECT (SELECT era FROM posthorn.cluster), '%s', '%s', %d, array_agg(id), array_agg(%d::bigint), %s
                  FROM posthorn.lane WHERE subscription_id = ANY ('{%s}')
                """.formatted(
                        a,
                        b,
                        seq,
                        count,
                        settledAt,
                        Stream.of(subscriptions).map(String::valueOf).collect(joining(","))));
    }

    /** Records and commits an event, and gives its seq. */
    public long event(String key) {
        return event("test.happened", key);
    }

    public long event(String type, String key) {
        database.record(Event.builder()
                .source("test")
                .type(type)
                .aggregateType("order")
                .key(key)
                .header("tenant", "7")
                .json("{\"n\": 1}")
                .build());
        return database.number("SELECT last_value FROM posthorn.event_seq");
    }

    /** An event with a transaction id of another cluster. */
    public long eventOf(long txid, String key) {
        return insert(
                ("INSERT INTO posthorn.event (txid, id, source, type, version, key, content_type, payload, occurred_at)"
                                + " VALUES ('%d', gen_random_uuid(), 'test', 'test.happened', 1, '%s', 'a/b', '', now())"
                                + " RETURNING seq")
                        .formatted(txid, key));
    }

    public UUID id(long seq) {
        return UUID.fromString(database.value("SELECT id FROM posthorn.event WHERE seq = " + seq));
    }

    public void delivery(long subscription, long seq, String state, int attempts) {
        database.execute("""
                INSERT INTO posthorn.delivery (lane_id, seq, event_id, key, state, attempts, due_at, error_class,
                                               error_message)
                SELECT (SELECT max(id) FROM posthorn.lane WHERE subscription_id = %d), seq, id, key, '%s', %d,
                       %s, 'HTTP 503', 'busy' FROM posthorn.event WHERE seq = %d
                """.formatted(
                        subscription,
                        state,
                        attempts,
                        state.equals("HELD") ? "NULL" : "timestamptz '2030-01-01 00:00:00Z'",
                        seq));
    }

    public long deadLetter(long subscription, long seq, String errorClass, String message, String cause) {
        return insert("""
                INSERT INTO posthorn.dead_letter (subscription_id, txid, seq, event_id, source_id, source, type, version,
                    aggregate_type, key, content_type, payload, headers, occurred_at, recorded_at, deliver_at, attempts,
                    error_class, error_message, cause, first_failed_at, last_failed_at, holds_key)
                SELECT %d, txid, seq, id, source_id, source, type, version, aggregate_type, key, content_type, payload,
                       headers, occurred_at, created_at, deliver_at, 5, '%s', '%s', '%s', clock_timestamp(),
                       clock_timestamp(), false FROM posthorn.event WHERE seq = %d
                RETURNING id
                """.formatted(subscription, errorClass, message, cause, seq));
    }

    public void attempt(long subscription, long seq, int number, String outcome, String startedAt) {
        database.execute("INSERT INTO posthorn.attempt VALUES (%d, %d, %d, %s, 1500, '%s', 'HTTP 503', 'busy', 'one')"
                .formatted(subscription, seq, number, startedAt, outcome));
    }

    /** A statement with RETURNING. */
    public long insert(String sql) {
        return database.number(sql);
    }
}
