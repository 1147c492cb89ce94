package dev.posthorn.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.TestDatabase;
import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** An audit is never cleared, so a page must cost the same however long it has become. */
class AuditPlansTest {

    private static final int LONG = 100_000;
    private static final Pattern BUFFERS = Pattern.compile("Buffers: shared hit=(\\d+)(?: read=(\\d+))?");

    private static TestDatabase database;
    private static Queries queries;

    /** One act a minute; one in a thousand is rare in every way. */
    @BeforeAll
    static void fillALongAudit() {
        database = TestDatabase.create();
        queries = new Queries(database.dataSource(), SchemaName.DEFAULT);
        database.execute("""
                INSERT INTO posthorn.audit (done_at, actor, action, target)
                SELECT timestamptz '2026-01-01Z' + i * interval '1 minute',
                       CASE WHEN i %% 1000 = 7 THEN 'rare' ELSE 'often' END,
                       CASE WHEN i %% 1000 = 7 THEN 'key.create' ELSE 'replay.start' END,
                       CASE WHEN i %% 1000 = 7 THEN 'key/' ELSE 'replay/' END || i
                  FROM generate_series(1, %d) i
                """.formatted(LONG));
        database.execute("ANALYZE posthorn.audit");
    }

    @Test
    void theNewestOfAllComeByTheirId() {
        assertThat(plan(q -> q)).contains("audit_pkey");
        assertCheap(q -> q);
        assertCheap(q -> q.cursor(Integer.toString(LONG / 2)));
    }

    @Test
    void whatIsExactComesFromItsIndexInOrder() {
        assertThat(plan(q -> q.actor("rare"))).contains("audit_actor").doesNotContain("Sort");
        assertThat(plan(q -> q.action("key.create"))).contains("audit_action").doesNotContain("Sort");
        assertThat(plan(q -> q.target("key/7"))).contains("audit_target").doesNotContain("Sort");
        assertCheap(q -> q.actor("rare"));
        assertCheap(q -> q.actor("nobody"));
        assertCheap(q -> q.action("key.create"));
        assertCheap(q -> q.target("key/7"));
        assertCheap(q -> q.actor("rare").cursor(Integer.toString(LONG / 2)));
    }

    @Test
    void aBeginningIsFoundByARangeOfItsIndex() {
        assertThat(plan(q -> q.action("key."))).contains("audit_action");
        assertThat(plan(q -> q.target("key/"))).contains("audit_target");
        assertCheap(q -> q.action("key."));
        assertCheap(q -> q.target("key/"));
        assertCheap(q -> q.action("replay."));
        assertCheap(q -> q.target("nothing/"));
    }

    @Test
    void aDayLongAgoIsFoundByItsTime() {
        Instant day = Instant.parse("2026-01-20T00:00:00Z");
        Instant end = day.plusSeconds(86_400);
        assertThat(plan(q -> q.from(day).to(end))).contains("audit_time").doesNotContain("Sort");
        assertCheap(q -> q.from(day).to(end));
        assertCheap(q -> q.from(day));
        assertCheap(q -> q.to(end));
        assertCheap(q -> q.from(day).to(end).cursor("28000"));
        assertCheap(q -> q.actor("rare").from(day).to(end));
        assertCheap(q -> q.actor("rare").to(end));
    }

    /** Pages of eight kilobytes, of which the whole audit has more than a thousand. */
    private static void assertCheap(UnaryOperator<AuditQuery.Builder> query) {
        String plan = plan(query);
        assertThat(plan).doesNotContain("Seq Scan");
        assertThat(pages(plan)).as(plan).isLessThan(250);
    }

    /** The first figures are those of the whole plan. */
    private static long pages(String plan) {
        Matcher figures = BUFFERS.matcher(plan);
        assertThat(figures.find()).as(plan).isTrue();
        return Long.parseLong(figures.group(1)) + (figures.group(2) == null ? 0 : Long.parseLong(figures.group(2)));
    }

    private static String plan(UnaryOperator<AuditQuery.Builder> query) {
        AuditQuery built = query.apply(AuditQuery.builder()).build();
        Map<String, Object> values = new HashMap<>(built.values());
        values.put("page_size", built.pageSize());
        return queries.run(
                "explaining",
                t -> String.join(
                        "\n",
                        t.list(
                                "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) " + Audit.statement(built),
                                values,
                                row -> row.getString(1))));
    }
}
