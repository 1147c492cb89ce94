package dev.posthorn.deadletter;

import dev.posthorn.audit.Act;
import dev.posthorn.audit.Actor;
import dev.posthorn.audit.Audit;
import dev.posthorn.error.Requests;
import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Gives many dead letters up at once. As with {@link Commands} it is the lanes' owners who do it, each in its own time;
 * what was asked for is in one transaction with its audit.
 */
public final class Discards {

    /** How many letters can be given up at once. */
    public static final int LARGEST = 1_000_000;

    /** Up to how many are told by their commands, so that somebody can wait for the answers. */
    public static final int AWAITED = 1_000;

    /** Neither what is being sent again, which may still succeed, nor what somebody has asked for already. */
    private static final String CHOSEN = """
            SELECT l.subscription_id, l.key, l.event_id, l.seq,
                   EXISTS (SELECT FROM posthorn.replay_item i
                            WHERE i.subscription_id = l.subscription_id AND i.seq = l.seq AND i.state = 'PENDING')
                OR EXISTS (SELECT FROM posthorn.delivery d WHERE d.seq = l.seq AND d.dead_letter_id = l.id)
                   AS replaying,
                   EXISTS (SELECT FROM posthorn.command c
                            WHERE c.subscription_id = l.subscription_id AND c.seq = l.seq AND c.kind = 'DISCARD'
                              AND c.answered_at IS NULL) AS asked
              FROM posthorn.dead_letter l WHERE {condition} AND l.discarded_at IS NULL
             LIMIT :largest::bigint + 1
            """;

    private static final String COUNT = """
            WITH chosen AS MATERIALIZED ({chosen})
            SELECT count(*) FILTER (WHERE NOT replaying AND NOT asked) AS discarding,
                   count(*) FILTER (WHERE replaying) AS replaying,
                   count(*) FILTER (WHERE asked AND NOT replaying) AS asked, NULL::bigint[] AS commands
              FROM chosen
            """;

    private static final String DISCARD = """
            WITH chosen AS MATERIALIZED ({chosen}),
            made AS (
                INSERT INTO posthorn.command (subscription_id, kind, key, event_id, seq, requested_by, reason)
                SELECT subscription_id, 'DISCARD', key, event_id, seq, :requested_by, :reason
                  FROM chosen WHERE NOT replaying AND NOT asked ORDER BY subscription_id, seq
                RETURNING id)
            SELECT (SELECT count(*) FROM made) AS discarding, count(*) FILTER (WHERE replaying) AS replaying,
                   count(*) FILTER (WHERE asked AND NOT replaying) AS asked,
                   ARRAY(SELECT id FROM made LIMIT :awaited::bigint + 1) AS commands
              FROM chosen
            """;

    private static final String PROGRESS = """
            SELECT count(*) FILTER (WHERE answered_at IS NULL) AS open,
                   count(*) FILTER (WHERE answer = 'discarded') AS discarded
              FROM posthorn.command WHERE id = ANY (:commands::bigint[])
            """;

    private final Queries queries;

    public Discards(DataSource dataSource, SchemaName schema) {
        this.queries = new Queries(dataSource, schema);
    }

    /**
     * What was, or would be, asked for.
     *
     * @param discarding how many letters are given up
     * @param replaying how many are left out because they are being sent again
     * @param alreadyAsked how many are left out because somebody has asked for it already
     * @param commands what the lanes were asked; empty if that is more than {@link #AWAITED}, or nothing
     */
    public record Discard(long discarding, long replaying, long alreadyAsked, List<Long> commands) {

        public Discard {
            commands = List.copyOf(commands);
        }

        /** All that were looked at. */
        public long matching() {
            return discarding + replaying + alreadyAsked;
        }
    }

    /**
     * How far the lanes have come.
     *
     * @param discarded how many letters are given up by now; the others had gone, or were being sent again
     */
    public record Progress(long open, long discarded) {}

    /** What {@link #discard} would do now; does nothing. */
    public Discard preview(DeadLetterQuery query) {
        return queries.run("counting what would be discarded", t -> choose(t, COUNT, query, Map.of()));
    }

    /** Asks for all open letters of the query to be discarded. */
    public Discard discard(DeadLetterQuery query, Actor by, String reason) {
        String why = Commands.discardReason(reason);
        Map<String, Object> more = Map.of("requested_by", by.name(), "reason", why, "awaited", AWAITED);
        return queries.run("asking for a discard", t -> {
            Discard discard = choose(t, DISCARD, query, more);
            if (discard.discarding() > 0) {
                Audit.write(
                        t,
                        by,
                        new Act(
                                "dead-letter.discard",
                                "dead-letter/*",
                                detail(query, discard),
                                discard.discarding(),
                                why));
            }
            return discard;
        });
    }

    /** What became of a discard of at most {@link #AWAITED} letters. */
    public Progress progress(Discard discard) {
        Map<String, Object> values = Map.of("commands", discard.commands().toArray(Long[]::new));
        return queries.run(
                "asking for answers",
                t -> t.first(PROGRESS, values, row -> new Progress(row.getLong("open"), row.getLong("discarded")))
                        .orElseThrow());
    }

    /** The same once every lane has answered; what there is if that takes longer. */
    public Progress await(Discard discard, Duration atMost) {
        return Patience.await(atMost, () -> Optional.of(progress(discard)).filter(progress -> progress.open() == 0))
                .orElseGet(() -> progress(discard));
    }

    private static Discard choose(
            Queries.Transaction transaction, String statement, DeadLetterQuery query, Map<String, Object> more)
            throws SQLException {
        DeadLetters.requireSubscription(transaction, query);
        Map<String, Object> values = new HashMap<>(query.values());
        values.putAll(more);
        values.put("largest", LARGEST);
        Discard discard = transaction
                .first(statement(statement, query), values, Discards::read)
                .orElseThrow();
        if (discard.matching() > LARGEST) {
            throw Requests.conflict("more than " + LARGEST + " dead letters match, which is the most that can be"
                    + " discarded at once; narrow the query, by from and to for instance");
        }
        return discard;
    }

    private static String statement(String statement, DeadLetterQuery query) {
        return statement.replace("{chosen}", CHOSEN.replace("{condition}", query.condition()));
    }

    private static Map<String, String> detail(DeadLetterQuery query, Discard discard) {
        Map<String, String> detail = new HashMap<>(query.describe());
        detail.put("leftOut", Long.toString(discard.replaying() + discard.alreadyAsked()));
        return detail;
    }

    private static Discard read(ResultSet row) throws SQLException {
        List<Long> commands = ids(row.getArray("commands"));
        return new Discard(
                row.getLong("discarding"),
                row.getLong("replaying"),
                row.getLong("asked"),
                commands.size() > AWAITED ? List.of() : commands);
    }

    private static List<Long> ids(@Nullable Array ids) throws SQLException {
        return ids == null ? List.of() : List.of((Long[]) Objects.requireNonNull(ids.getArray()));
    }
}
