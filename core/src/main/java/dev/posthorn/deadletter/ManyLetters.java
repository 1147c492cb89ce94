package dev.posthorn.deadletter;

import dev.posthorn.error.Requests;
import dev.posthorn.log.Queries;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One thing that can be asked of many dead letters at once. As with {@link Commands} it is the lanes' owners who do it,
 * each in its own time.
 *
 * @param kind the command for each letter
 * @param kinds the commands that make another one needless, if their owner has not come to them yet
 * @param which a condition that letters {@code l} must meet besides those of the query
 * @param done the answer of an owner who did it
 * @param verb what it is called when it is done
 * @param largest how many letters can be asked for at once
 * @param named up to how many are told by their ids
 */
record ManyLetters(String kind, List<String> kinds, String which, String done, String verb, int largest, int named) {

    /** Up to how many are told by their commands, so that somebody can wait for the answers. */
    static final int AWAITED = 1_000;

    /** Neither what is being sent again, which may still succeed, nor what somebody has asked for already. */
    private static final String CHOSEN = """
            SELECT l.id, l.subscription_id, l.key, l.event_id, l.seq,
                   EXISTS (SELECT FROM posthorn.replay_item i
                            WHERE i.subscription_id = l.subscription_id AND i.seq = l.seq AND i.state = 'PENDING')
                OR EXISTS (SELECT FROM posthorn.delivery d WHERE d.seq = l.seq AND d.dead_letter_id = l.id)
                   AS replaying,
                   EXISTS (SELECT FROM posthorn.command c
                            WHERE c.subscription_id = l.subscription_id AND c.seq = l.seq
                              AND c.kind = ANY (:kinds::text[]) AND c.answered_at IS NULL) AS asked
              FROM posthorn.dead_letter l WHERE {condition} AND {which}
             LIMIT :largest::bigint + 1
            """;

    private static final String COUNT = """
            WITH chosen AS MATERIALIZED ({chosen})
            SELECT count(*) FILTER (WHERE NOT replaying AND NOT asked) AS asking,
                   count(*) FILTER (WHERE replaying) AS replaying,
                   count(*) FILTER (WHERE asked AND NOT replaying) AS asked,
                   NULL::bigint[] AS commands, NULL::bigint[] AS letters, NULL::text[] AS events
              FROM chosen
            """;

    private static final String ASK = """
            WITH chosen AS MATERIALIZED ({chosen}),
            made AS (
                INSERT INTO posthorn.command (subscription_id, kind, key, event_id, seq, requested_by, reason)
                SELECT subscription_id, :kind, key, event_id, seq, :requested_by, :reason
                  FROM chosen WHERE NOT replaying AND NOT asked ORDER BY subscription_id, seq
                RETURNING id),
            named AS MATERIALIZED (
                SELECT id, event_id::text FROM chosen WHERE NOT replaying AND NOT asked ORDER BY id LIMIT :named)
            SELECT (SELECT count(*) FROM made) AS asking, count(*) FILTER (WHERE replaying) AS replaying,
                   count(*) FILTER (WHERE asked AND NOT replaying) AS asked,
                   ARRAY(SELECT id FROM made LIMIT :awaited::bigint + 1) AS commands,
                   ARRAY(SELECT id FROM named ORDER BY id) AS letters,
                   ARRAY(SELECT event_id FROM named ORDER BY id) AS events
              FROM chosen
            """;

    private static final String PROGRESS = """
            SELECT count(*) FILTER (WHERE answered_at IS NULL) AS open,
                   count(*) FILTER (WHERE answer = :done) AS done
              FROM posthorn.command WHERE id = ANY (:commands::bigint[])
            """;

    /**
     * What was, or would be, asked for.
     *
     * @param commands empty if there are more than {@link #AWAITED}, or none
     * @param letters the ids of the first ones, and their events' in the same order
     */
    record Asked(
            long asking,
            long replaying,
            long alreadyAsked,
            List<Long> commands,
            List<Long> letters,
            List<String> events) {

        long matching() {
            return asking + replaying + alreadyAsked;
        }
    }

    /** How many have not been answered, and how many were done. */
    record Progress(long open, long done) {}

    /** Asks for nothing. */
    Asked preview(Queries.Transaction transaction, DeadLetterQuery query) throws SQLException {
        return choose(transaction, COUNT, query, Map.of());
    }

    Asked ask(Queries.Transaction transaction, DeadLetterQuery query, String by, String reason) throws SQLException {
        Map<String, Object> more =
                Map.of("kind", kind, "requested_by", by, "reason", reason, "awaited", AWAITED, "named", named);
        return choose(transaction, ASK, query, more);
    }

    Progress progress(Queries.Transaction transaction, List<Long> commands) throws SQLException {
        Map<String, Object> values = Map.of("commands", commands.toArray(Long[]::new), "done", done);
        return transaction
                .first(PROGRESS, values, row -> new Progress(row.getLong("open"), row.getLong("done")))
                .orElseThrow();
    }

    private Asked choose(
            Queries.Transaction transaction, String statement, DeadLetterQuery query, Map<String, Object> more)
            throws SQLException {
        DeadLetters.requireSubscription(transaction, query);
        Map<String, Object> values = new HashMap<>(query.values());
        values.putAll(more);
        values.put("largest", largest);
        values.put("kinds", kinds.toArray(String[]::new));
        Asked asked = transaction
                .first(statement(statement, query), values, ManyLetters::read)
                .orElseThrow();
        if (asked.matching() > largest) {
            throw Requests.conflict("more than " + largest + " dead letters match, which is the most that can be "
                    + verb + " at once; narrow the query, by from and to for instance");
        }
        return asked;
    }

    private String statement(String statement, DeadLetterQuery query) {
        return statement.replace(
                "{chosen}", CHOSEN.replace("{condition}", query.condition()).replace("{which}", which));
    }

    /** What to write down about it besides the reason. */
    static Map<String, String> detail(DeadLetterQuery query, Asked asked) {
        Map<String, String> detail = new HashMap<>(query.describe());
        detail.put("leftOut", Long.toString(asked.replaying() + asked.alreadyAsked()));
        return detail;
    }

    private static Asked read(ResultSet row) throws SQLException {
        List<Long> commands = list(row.getArray("commands"));
        return new Asked(
                row.getLong("asking"),
                row.getLong("replaying"),
                row.getLong("asked"),
                commands.size() > AWAITED ? List.of() : commands,
                list(row.getArray("letters")),
                list(row.getArray("events")));
    }

    @SuppressWarnings("unchecked")
    private static <T> List<T> list(@Nullable Array values) throws SQLException {
        return values == null ? List.of() : List.of((T[]) Objects.requireNonNull(values.getArray()));
    }
}
