package dev.posthorn.log;

/** The statements of {@link PostgresLog} for all lanes of one shape. */
final class LogStatements {

    final Sql tail;
    final Sql walk;
    final Sql walkFirst;
    final Sql bounds;
    final Sql boundsOfFirst;

    /**
     * The whole next window, or, if it is larger than a batch, only the news that it is. The first row carries the end
     * of the window: the snapshot of this very statement. No ORDER BY inside, so that it stops at the limit instead of
     * sorting a backlog. And {@code seq + 0}, here as below, so that the planner cannot walk the history by seq instead.
     * The second half are the transactions that were running at A: their rows, visible now, became so after A.
     */
    private static final String TAIL = """
            WITH s AS MATERIALIZED (SELECT :a::pg_snapshot AS a, pg_current_snapshot() AS b),
            found AS MATERIALIZED (
                SELECT * FROM (
                    SELECT {row} FROM posthorn.event
                     WHERE txid >= (SELECT pg_snapshot_xmax(a) FROM s) AND seq + 0 > :floor AND {wanted}
                    UNION ALL
                    SELECT {row} FROM posthorn.event
                     WHERE txid = ANY (ARRAY(SELECT pg_snapshot_xip(a) FROM s)) AND seq + 0 > :floor AND {wanted}
                ) either
                LIMIT :limit::bigint + 1
            ),
            size AS MATERIALIZED (
                SELECT count(*) <= :limit AND coalesce(sum(octet_length(payload)), 0) <= :bytes AS whole FROM found
            )
            SELECT {nothing}, b::text AS b, whole, posthorn.clock() AS now FROM s CROSS JOIN size
            UNION ALL
            SELECT {columns}, NULL, NULL, NULL FROM found WHERE (SELECT whole FROM size)
            ORDER BY seq NULLS FIRST
            """;

    /**
     * A stride of a frozen window: its main rows by seq, its stragglers merged in, cut at the number of bytes. The
     * condition on txid is a CASE so that the planner cannot choose its index, collect the whole stride and sort it. The
     * stragglers are those of the transactions running at A that had ended by B, one by one: each is a range of an index.
     */
    private static final String WALK = """
            WITH w AS MATERIALIZED (SELECT :a::pg_snapshot AS a, :b::pg_snapshot AS b),
            found AS (
                (SELECT {row} FROM posthorn.event
                  WHERE seq > :after AND seq <= :to
                    AND CASE WHEN txid >= (SELECT pg_snapshot_xmax(a) FROM w)
                             THEN pg_visible_in_snapshot(txid, (SELECT b FROM w)) END
                    AND {wanted}
                  ORDER BY seq LIMIT :limit)
                UNION ALL
                (SELECT r.* FROM w
                  CROSS JOIN LATERAL pg_snapshot_xip(a) AS straggler
                  CROSS JOIN LATERAL (
                      SELECT {row} FROM posthorn.event
                       WHERE txid = straggler AND seq > :straggler_after AND seq <= :straggler_to AND {wanted}
                       ORDER BY seq LIMIT :limit) r
                  WHERE pg_visible_in_snapshot(straggler, b))
                ORDER BY seq LIMIT :limit
            )
            SELECT {columns}, CASE WHEN deliver_at IS NOT NULL THEN posthorn.clock() END AS now FROM (
                SELECT *, sum(octet_length(payload)) OVER (ORDER BY seq ROWS UNBOUNDED PRECEDING)
                          - octet_length(payload) AS bytes_before
                  FROM found
            ) f WHERE bytes_before < :bytes
            ORDER BY seq
            """;

    /** The first window has no lower snapshot. Rows of earlier eras are all committed, and their txids say nothing. */
    private static final String WALK_FIRST = """
            WITH w AS MATERIALIZED (SELECT :b::pg_snapshot AS b {drain_values}),
            found AS (
                SELECT {row} FROM posthorn.event
                 WHERE seq > :after AND seq <= :to
                   AND (seq <= :floor OR pg_visible_in_snapshot(txid, (SELECT b FROM w)))
                   {drain} {since} AND {wanted}
                 ORDER BY seq LIMIT :limit
            )
            SELECT {columns}, CASE WHEN deliver_at IS NOT NULL THEN posthorn.clock() END AS now FROM (
                SELECT *, sum(octet_length(payload)) OVER (ORDER BY seq ROWS UNBOUNDED PRECEDING)
                          - octet_length(payload) AS bytes_before
                  FROM found
            ) f WHERE bytes_before < :bytes
            ORDER BY seq
            """;

    /**
     * Not settled by the mark of the former cluster: arithmetic on its snapshots stays valid for the rows that came from
     * there. Rows below that era's own floor were settled by its first window, whatever their txids.
     */
    private static final String DRAIN = """
            AND (seq > :drain_read
                 OR NOT CASE WHEN seq <= :drain_floor THEN (SELECT drain_a::text FROM w) <> '1:1:' OR seq <= :drain_seq
                             ELSE pg_visible_in_snapshot(txid, (SELECT drain_a FROM w))
                                  OR (pg_visible_in_snapshot(txid, (SELECT drain_b FROM w)) AND seq <= :drain_seq) END)
            """;

    /** For a plain min(seq) the planner would walk the history by seq until it meets the window. */
    private static final String BOUNDS = """
            WITH w AS MATERIALIZED (SELECT :a::pg_snapshot AS a, :b::pg_snapshot AS b)
            SELECT min(seq + 0), max(seq + 0) FROM posthorn.event
             WHERE txid >= (SELECT pg_snapshot_xmax(a) FROM w)
               AND pg_visible_in_snapshot(txid, (SELECT b FROM w))
               AND seq + 0 > :floor
            """;

    private static final String BOUNDS_OF_FIRST = "SELECT min(seq), {greatest} FROM posthorn.event";

    /**
     * All that tells the statements of two lanes apart; every value is bound. There are so few that a session can have them
     * all, whatever its lanes want.
     */
    record Shape(String wanted, boolean drains, String since) {

        static Shape of(LaneScope scope) {
            String lane = scope.lanes() == 1 ? "true" : "posthorn.key_hash(key, id) % :lanes = :lane";
            return new Shape(scope.filter().condition() + " AND " + lane, scope.drain() != null, since(scope));
        }

        /** Of the very first window only: what a lane drains may have come after it. */
        private static String since(LaneScope scope) {
            LaneScope.Drain drain = scope.drain();
            if (scope.since() == null || (drain != null && !drain.mark().a().isNothing())) {
                return "";
            }
            return drain == null
                    ? "AND created_at >= :since"
                    : "AND (created_at >= :since OR NOT pg_visible_in_snapshot(txid, (SELECT drain_b FROM w)))";
        }

        private Sql sql(SchemaName schema, String text) {
            return Sql.of(
                    schema,
                    text.replace("{row}", EventRow.ROW)
                            .replace("{columns}", EventRow.COLUMNS)
                            .replace("{nothing}", EventRow.NOTHING)
                            .replace("{drain}", drains ? DRAIN : "")
                            .replace(
                                    "{drain_values}",
                                    drains
                                            ? ", :drain_a::pg_snapshot AS drain_a, :drain_b::pg_snapshot AS drain_b"
                                            : "")
                            .replace("{greatest}", drains ? ":drain_to::bigint" : "max(seq)")
                            .replace("{since}", since)
                            .replace("{wanted}", wanted));
        }
    }

    LogStatements(SchemaName schema, Shape shape) {
        tail = shape.sql(schema, TAIL);
        walk = shape.sql(schema, WALK);
        walkFirst = shape.sql(schema, WALK_FIRST);
        bounds = shape.sql(schema, BOUNDS);
        boundsOfFirst = shape.sql(schema, BOUNDS_OF_FIRST);
    }
}
