package dev.posthorn.log;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;

/**
 * Events that were written in a new cluster before the rebase. If the sequence did not come along, as in a logical
 * replication, they have numbers that lanes have read long ago or that dead letters bear, and their low transaction ids
 * are in every old snapshot: they would be taken for settled. They get new numbers, beyond all others.
 *
 * <p>What tells them is the transaction that wrote the row: of an event that was recorded here it is the one in its
 * column, or a later one if there was a savepoint; of a copied event it is that of the copy. A copy of many events has
 * one for all. A replication that streams has one for each transaction, and if this cluster's ids have passed the former
 * one's, a copied event looks like one in a savepoint. That is one whose transaction took its id shortly before, or after
 * the last mark came along: no relay works here before the rebase, so whatever a mark settles was here before it.
 */
final class EarlyEvents {

    /**
     * The whole id of the transaction that wrote a row. Both sides of the difference refer to the id of this transaction,
     * which must have one.
     */
    private static final String WRITTEN_BY = "(pg_current_xact_id()::text::bigint - age(%s.xmin))";

    /**
     * Whether rows were copied here, by transactions with lower ids than those that the rows speak of: nobody else writes
     * down an id before it is given out. Not so after an upgrade in place, which has another identifier too: there every
     * row looks as if it had been recorded here, and was.
     */
    private static final String IS_COPY = """
            SELECT EXISTS (SELECT FROM (SELECT txid, xmin FROM posthorn.event ORDER BY txid DESC LIMIT 1000) e
                            WHERE {e} < txid::text::bigint)
                OR EXISTS (SELECT FROM posthorn.event_partition p WHERE {p} < passed_xid::text::bigint)
                OR EXISTS (SELECT FROM posthorn.receipt r WHERE {r} < pg_snapshot_xmax(b)::text::bigint)
                OR EXISTS (SELECT FROM posthorn.front_receipt t WHERE {t} < pg_snapshot_xmax(b)::text::bigint)
                OR EXISTS (SELECT FROM posthorn.front f WHERE {f} < pg_snapshot_xmax(b)::text::bigint)
                OR EXISTS (SELECT FROM posthorn.lane_mark m
                            WHERE {m} < pg_snapshot_xmax(b)::text::bigint AND turn <> 0 AND a::text <> '1:1:')
            """.replace("{e}", writtenBy("e"))
            .replace("{p}", writtenBy("p"))
            .replace("{r}", writtenBy("r"))
            .replace("{t}", writtenBy("t"))
            .replace("{f}", writtenBy("f"))
            .replace("{m}", writtenBy("m"));

    /**
     * How many ids may be given out between that of a transaction and that of its savepoint, while marks still come along.
     * Where that does not tell which it is, an event is rather delivered again than lost.
     */
    private static final long REACH = 10_000;

    private static final String EARLY =
            """
            SELECT unnest(array_agg(seq)) AS seq
              FROM posthorn.event e
             WHERE txid < pg_snapshot_xmax(pg_current_snapshot())
               AND seq <= (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM posthorn.event_seq)
             GROUP BY xmin::text
            HAVING min(txid::text::bigint) = max(txid::text::bigint) AND min({e}) >= min(txid::text::bigint)
               AND min(txid::text::bigint) >= least(
                       min({e}) - :reach,
                       greatest((SELECT coalesce(max({m}), 0) + 1 FROM posthorn.lane_mark m),
                                (SELECT coalesce(max({f}), 0) + 1 FROM posthorn.front f)))
            """.replace("{e}", writtenBy("e")).replace("{m}", writtenBy("m")).replace("{f}", writtenBy("f"));

    /**
     * Of what a relay has met, which none does here. By the id too: the number alone may be that of an event which is gone
     * from the log and was given out again here.
     */
    private static final String MET = """
            SELECT seq, event_id FROM posthorn.delivery
            UNION ALL SELECT seq, event_id FROM posthorn.dead_letter
            UNION ALL SELECT seq, event_id FROM posthorn.replay_item
            UNION ALL SELECT seq, event_id FROM posthorn.command
            """;

    /** In the order of their numbers, because that is the order in which they were drawn. */
    private static final String RENUMBER = """
            UPDATE posthorn.event e SET seq = :floor + place
              FROM (SELECT seq, row_number() OVER (ORDER BY seq) AS place
                      FROM posthorn.event o
                     WHERE seq IN ({early})
                       AND NOT EXISTS (SELECT FROM ({met}) met WHERE met.seq = o.seq AND met.event_id = o.id)) early
             WHERE e.seq = early.seq
            """.replace("{early}", EARLY).replace("{met}", MET);

    private EarlyEvents() {}

    private static String writtenBy(String alias) {
        return WRITTEN_BY.formatted(alias);
    }

    /** Gives them the numbers after this one, and tells how many there are. */
    static int renumber(Connection connection, SchemaName schema, long floor) throws SQLException {
        if (!isCopy(connection, schema)) {
            return 0;
        }
        try (PreparedStatement statement =
                Sql.of(schema, RENUMBER).prepare(connection, Map.of("floor", floor, "reach", REACH))) {
            return statement.executeUpdate();
        }
    }

    private static boolean isCopy(Connection connection, SchemaName schema) throws SQLException {
        try (PreparedStatement statement = Sql.of(schema, IS_COPY).prepare(connection, Map.of());
                ResultSet row = statement.executeQuery()) {
            return row.next() && row.getBoolean(1);
        }
    }
}
