package dev.posthorn.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.TestDatabase;
import dev.posthorn.TroubleRows;
import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import dev.posthorn.log.TimeBounds;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A search costs a bounded number of pages however long the log is, analyzed or not. */
class EventSearchPlansTest {

    private static final int LONG = 100_000;
    private static final int LETTERS = 3_000;

    private static TestDatabase database;
    private static TroubleRows rows;
    private static EventSearch search;

    @BeforeAll
    static void fillALog() {
        database = TestDatabase.create();
        rows = new TroubleRows(database);
        search = new EventSearch(database.dataSource(), SchemaName.DEFAULT);
        String a = rows.snapshot();
        long billing = rows.subscriptionAt("billing", a);
        long shipping = rows.subscriptionAt("shipping", a);
        database.execute("ALTER TABLE posthorn.event_1 SET (autovacuum_enabled = off)");
        database.execute("""
                INSERT INTO posthorn.event (id, source, type, version, key, content_type, payload, occurred_at)
                SELECT gen_random_uuid(), 's', 't', 1, i::text, 'a/b', '\\x00', now() FROM generate_series(1, %d) i
                """.formatted(LONG));
        database.execute("""
                INSERT INTO posthorn.dead_letter (subscription_id, txid, seq, event_id, source, type, version, key,
                    content_type, payload, occurred_at, recorded_at, attempts, error_class, error_message, cause,
                    first_failed_at, last_failed_at, holds_key)
                SELECT %d, txid, seq, id, source, type, version, key, content_type, payload, occurred_at, created_at, 5,
                       'E', 'm', 'm', now(), now(), false FROM posthorn.event WHERE seq <= %d
                """.formatted(billing, LETTERS));
        for (long subscription : new long[] {billing, shipping}) {
            String b = rows.snapshot();
            rows.mark(subscription, b, b, 0);
        }
        rows.delivery(shipping, 50, "HELD", 0);
        rows.delivery(shipping, 60, "WAITING", 1);
    }

    @Test
    void aSliceOfTheLogCostsItsOwnPages() throws SQLException {
        assertThat(pages(look(EventTrail.LOG))).isLessThan(400);
    }

    @Test
    void deadLettersAtTheFarEndAreFoundWithoutWalkingTheLog() throws SQLException {
        assertThat(pages(look(EventTrail.LETTERS))).isLessThan(200);
        EventPage page = find(EventQuery.builder().status(Status.FAILED));
        assertThat(page.events())
                .extracting(EventSummary::seq)
                .startsWith((long) LETTERS)
                .hasSize(100);
        assertThat(find(EventQuery.builder().status(Status.DISCARDED)).next()).isNull();
    }

    @Test
    void rowsAtTheFarEndAreFoundWithoutWalkingTheLog() throws SQLException {
        assertThat(pages(look(EventTrail.ROWS))).isLessThan(200);
        for (Status status : new Status[] {Status.HELD, Status.PENDING}) {
            EventPage page = find(EventQuery.builder().status(status));
            assertThat(page.events()).hasSize(1);
            assertThat(page.next()).isNull();
        }
        assertThat(find(EventQuery.builder().status(Status.SENDING)).next()).isNull();
    }

    @Test
    void whatIsUnsettledIsNamedWithoutWalkingTheLog() throws SQLException {
        assertThat(pages(EventTrail.LIVE
                        .replace(":subscription", "NULL")
                        .replace(":bound", Integer.toString(EventTrail.LIVE_BOUND))))
                .isLessThan(200);
    }

    @Test
    void thePageItselfIsLookedUpBySeqAnalyzedOrNot() throws SQLException {
        String seqs = "'{7,8,9,%d,%d}'".formatted(LONG - 7, LONG / 2);
        for (int i = 0; i < 2; i++) {
            assertThat(pages(Search.STATUSES.replace(":seqs", seqs))).isLessThan(500);
            assertThat(pages(Search.EVENTS.replace(":seqs", seqs))).isLessThan(200);
            database.execute("ANALYZE");
        }
    }

    @Test
    void aTimeIsFoundInAFewLooks() throws SQLException {
        assertThat(pages(TimeBounds.NEXT.replace(":seq", Integer.toString(LONG / 2))))
                .isLessThan(20);
    }

    @Test
    void aSearchForSomethingRareEndsEarlyAndGoesOn() {
        EventQuery.Builder rare = EventQuery.builder().key("10");
        EventPage first = find(rare);
        assertThat(first.events()).isEmpty();
        assertThat(first.next()).isEqualTo(LONG - Search.MOST_LOOKED + 1L);
        EventPage second = find(rare.after(first.next()));
        assertThat(second.events()).extracting(EventSummary::key).containsExactly("10");
    }

    @Test
    void theStatusIsNotLookedUpForTheWholeLog() {
        picky("picky", "sources");
        EventPage page = find(EventQuery.builder().subscription("picky"));
        assertThat(page.events()).isEmpty();
        assertThat(page.next()).isBetween(LONG - 2L * Search.MOST_CHECKED, LONG - 1L * Search.MOST_CHECKED + 1);
    }

    @Test
    void ofASubscriptionThatWantsFewTypesNoOthersAreLookedUp() {
        picky("specialist", "types");
        EventPage page = find(EventQuery.builder().subscription("specialist"));
        assertThat(page.events()).isEmpty();
        assertThat(page.next()).isEqualTo(LONG - Search.MOST_LOOKED + 1L);
    }

    /** Wants none of the events there are. */
    private static void picky(String name, String patterns) {
        long subscription = rows.subscription(name);
        rows.generation(subscription, 1, 1, TroubleRows.NOTHING, ", " + patterns + " = '{nothing}'");
        String b = rows.snapshot();
        rows.lane(subscription, 1, 0, b, b, 0);
    }

    private static EventPage find(EventQuery.Builder query) {
        return search.find(query.build());
    }

    private static String look(String trail) {
        return EventTrail.LOOK
                .replace("{trail}", trail)
                .replace("{condition}", "type LIKE 't'")
                .replace(":before", Long.toString(Long.MAX_VALUE))
                .replace(":least", "0")
                .replace(":discarded", "false")
                .replace(":subscription", "NULL")
                .replace(":held", "true")
                .replace(":rows", Integer.toString(EventTrail.ROW_SLICE))
                .replace(":live", "'{}'")
                .replace(
                        ":slice",
                        Integer.toString(trail.equals(EventTrail.LOG) ? EventTrail.LOG_SLICE : EventTrail.ROW_SLICE));
    }

    private static long pages(String sql) throws SQLException {
        StringBuilder plan = new StringBuilder();
        try (Connection connection = database.transaction();
                Statement statement = connection.createStatement()) {
            statement.execute(Queries.WALK_INDEXES);
            try (ResultSet lines = statement.executeQuery("EXPLAIN (ANALYZE, BUFFERS) " + sql)) {
                while (lines.next()) {
                    plan.append(lines.getString(1)).append('\n');
                }
            }
            connection.rollback();
        }
        return pagesOf(plan.toString());
    }

    /** The first figures are those of the whole plan. */
    private static long pagesOf(String plan) {
        Matcher figures =
                Pattern.compile("Buffers: shared hit=(\\d+)(?: read=(\\d+))?").matcher(plan);
        assertThat(figures.find()).as(plan).isTrue();
        return Long.parseLong(figures.group(1)) + (figures.group(2) == null ? 0 : Long.parseLong(figures.group(2)));
    }
}
