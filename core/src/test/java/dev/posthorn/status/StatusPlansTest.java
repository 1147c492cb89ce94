package dev.posthorn.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.TestDatabase;
import dev.posthorn.TroubleRows;
import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Questions about one event, and counts, cost the same however long the log is. Measured in pages, which is exact. */
class StatusPlansTest {

    private static final int LONG = 200_000;

    private static TestDatabase database;
    private static TroubleRows rows;
    private static long subscription;

    @BeforeAll
    static void fillALog() {
        database = TestDatabase.create();
        rows = new TroubleRows(database);
        String a = rows.snapshot();
        subscription = rows.subscriptionAt("billing", a);
        rows.subscriptionAt("shipping", a);
        database.execute("ALTER TABLE posthorn.event_1 SET (autovacuum_enabled = off)");
        database.execute("""
                INSERT INTO posthorn.event (id, source, type, version, key, content_type, payload, occurred_at)
                SELECT gen_random_uuid(), 's', 't', 1, i::text, 'a/b', '', now() FROM generate_series(1, %d) i
                """.formatted(LONG));
        database.execute("""
                INSERT INTO posthorn.dead_letter (subscription_id, txid, seq, event_id, source, type, version, key,
                    content_type, payload, occurred_at, recorded_at, attempts, error_class, error_message, cause,
                    first_failed_at, last_failed_at, holds_key)
                SELECT %d, txid, seq, id, source, type, version, key, content_type, payload, occurred_at, created_at, 5,
                       'E', 'm', 'm', now(), now(), false FROM posthorn.event WHERE seq <= 2000
                """.formatted(subscription));
    }

    @Test
    void anEventIsLookedUpWithoutReadingTheLogAnalyzedOrNot() throws SQLException {
        for (long seq : new long[] {7, LONG - 7}) {
            assertThat(pages(byId(seq))).isLessThan(300);
        }
        database.execute("ANALYZE");
        for (long seq : new long[] {7, LONG - 7}) {
            String plan = explain(byId(seq));
            assertThat(plan).doesNotContain("Seq Scan on event_1");
            assertThat(pagesOf(plan)).isLessThan(300);
        }
    }

    private static String byId(long seq) {
        return "SELECT * FROM posthorn.event_status WHERE event_id = '" + rows.id(seq) + "'";
    }

    private static long pages(String sql) throws SQLException {
        return pagesOf(explain(sql));
    }

    private static String explain(String sql) throws SQLException {
        StringBuilder plan = new StringBuilder();
        try (Connection connection = database.transaction();
                Statement statement = connection.createStatement()) {
            if (!sql.contains("event_status")) {
                statement.execute(Queries.WALK_INDEXES);
            }
            try (ResultSet lines = statement.executeQuery("EXPLAIN (ANALYZE, BUFFERS) " + sql)) {
                while (lines.next()) {
                    plan.append(lines.getString(1)).append('\n');
                }
            }
            connection.rollback();
        }
        return plan.toString();
    }

    /** The first figures are those of the whole plan. */
    private static long pagesOf(String plan) {
        Matcher figures =
                Pattern.compile("Buffers: shared hit=(\\d+)(?: read=(\\d+))?").matcher(plan);
        assertThat(figures.find()).as(plan).isTrue();
        return Long.parseLong(figures.group(1)) + (figures.group(2) == null ? 0 : Long.parseLong(figures.group(2)));
    }

    @Test
    void anEndlessBacklogIsCountedUpToTheBoundAndThenEstimated() throws SQLException {
        assertThat(pages(LiveEvents.COUNT.replace(":subscription", "'shipping'").replace(":bound", "1000")))
                .isLessThan(8_000);
        StatusCounts counts = new EventStatuses(database.dataSource(), SchemaName.DEFAULT, 1_000).counts("shipping");
        assertThat(counts.pending().exact()).isFalse();
        assertThat(counts.pending().value()).isBetween(LONG - 10L, LONG + 10L);
        assertThat(counts.pending()).hasToString("about " + counts.pending().value());
    }

    @Test
    void inTheMiddleOfAGiantWindowTheCountBeginsAtTheMark() throws SQLException {
        String a = rows.snapshot();
        long seq = LONG - 30;
        long inside = rows.subscription("inside");
        rows.generation(inside, 1, 1, TroubleRows.NOTHING, "");
        rows.lane(inside, 1, 0, TroubleRows.NOTHING, a, seq);
        assertThat(pages(LiveEvents.COUNT.replace(":subscription", "'inside'").replace(":bound", "1000")))
                .isLessThan(1_000);
        EventStatuses statuses = new EventStatuses(database.dataSource(), SchemaName.DEFAULT, 1_000);
        assertThat(statuses.counts("inside").pending()).isEqualTo(Count.exactly(30));

        rows.mark(inside, "seq = %1$d, high_seq = %1$d, read_seq = %1$d".formatted(LONG / 2));
        assertThat(statuses.counts("inside").pending().exact()).isFalse();
        assertThat(statuses.counts("inside").pending().value()).isBetween(LONG / 2 - 10L, LONG / 2 + 10L);
    }

    @Test
    void stuckEventsAndLatencyAreFoundWithoutReadingTheLog() throws SQLException {
        assertThat(pages(EventStatuses.STUCK
                        .replace(":subscription", "NULL")
                        .replace(":stuck_for", "0")
                        .replace(":limit", "1000")))
                .isLessThan(1_000);
        String b = rows.snapshot();
        for (int i = 0; i < 10; i++) {
            rows.receipt(subscription, b, b, 0, 1, "now() - interval '" + i + " min'");
        }
        assertThat(pages(LatencySample.AVERAGE
                        .replace(":subscriptions", "'{" + subscription + "}'")
                        .replace(":from", "(now() - interval '1 h')")
                        .replace(":to", "NULL")
                        .replace(":receipts", "200")
                        .replace(":rows", "500")
                        .replace(":attempts", "1000")))
                .isLessThan(3_000);
    }
}
