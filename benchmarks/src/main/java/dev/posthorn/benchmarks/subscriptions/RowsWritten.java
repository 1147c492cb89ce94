package dev.posthorn.benchmarks.subscriptions;

import dev.posthorn.benchmarks.testbed.Database;
import java.sql.SQLException;

/**
 * Rows that were inserted, updated and deleted in Posthorn's tables so far.
 *
 * @param delivering those of the log, and of everything that is written because of its deliveries
 * @param ingest those by which the hub knows an event that comes again, and the types and sources that it has seen
 */
record RowsWritten(long delivering, long ingest) {

    private static final String ROWS = """
            SELECT coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::bigint
              FROM pg_stat_user_tables
             WHERE schemaname = 'posthorn'
               AND (relname LIKE 'inbox\\_entry%'
                    OR relname IN ('event_type', 'event_source', 'hub_change', 'hub_change_log')) = ?
            """;

    static RowsWritten now(Database database) throws SQLException {
        return new RowsWritten(database.number(ROWS, false), database.number(ROWS, true));
    }

    RowsWritten since(RowsWritten earlier) {
        return new RowsWritten(delivering - earlier.delivering, ingest - earlier.ingest);
    }

    long all() {
        return delivering + ingest;
    }
}
