package dev.posthorn.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.TestDatabase;
import dev.posthorn.TroubleRows;
import dev.posthorn.deadletter.DeadLetterQuery.State;
import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import dev.posthorn.log.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A page of dead letters costs a bounded number of pages of the database however many there are, analyzed or not. */
class DeadLetterPlansTest {

    private static final int MANY = 60_000;
    private static final String WALKING = Queries.WALK_INDEXES + "; " + DeadLetters.NO_SORTS;
    private static final String KEY_OF_ALL = "hot";

    private static TestDatabase database;
    private static DeadLetters letters;

    /** All letters but one are billing's, and of one cause, so that statistics tell nothing good of any index. */
    @BeforeAll
    static void fill() {
        database = TestDatabase.create();
        letters = new DeadLetters(database.dataSource(), SchemaName.DEFAULT);
        TroubleRows rows = new TroubleRows(database);
        String a = rows.snapshot();
        long billing = rows.subscriptionAt("billing", a);
        long shipping = rows.subscriptionAt("shipping", a);
        database.execute("ALTER TABLE posthorn.dead_letter SET (autovacuum_enabled = off)");
        rows.deadLetter(billing, rows.event("t", KEY_OF_ALL), "E", "m", "m");
        database.execute("""
                INSERT INTO posthorn.dead_letter (subscription_id, txid, seq, event_id, source, type, version, key,
                    content_type, payload, occurred_at, recorded_at, attempts, error_class, error_message, cause,
                    first_failed_at, last_failed_at, holds_key)
                SELECT subscription_id, txid, seq + i, gen_random_uuid(), source, type, version, key, content_type,
                       payload, occurred_at, recorded_at, 5, 'E', 'm', 'm', now(), now() + i * interval '1 ms', false
                  FROM posthorn.dead_letter, generate_series(1, %d) i
                """.formatted(MANY));
        rows.deadLetter(shipping, rows.event("rare", "rare"), "F", "rare", "rare");
        database.execute("UPDATE posthorn.dead_letter SET last_failed_at = '2000-01-01Z' WHERE type = 'rare'");
    }

    private static DeadLetterQuery query(UnaryOperator<DeadLetterQuery.Builder> fields) {
        return fields.apply(DeadLetterQuery.builder()).build();
    }

    private static final List<UnaryOperator<DeadLetterQuery.Builder>> QUERIES = List.of(
            q -> q,
            q -> q.subscription("billing"),
            q -> q.subscription("shipping"),
            q -> q.key(KEY_OF_ALL),
            q -> q.key("nobody's"),
            q -> q.key(KEY_OF_ALL).subscription("shipping"),
            q -> q.subscription("billing").errorClass("E").cause("m"),
            q -> q.subscription("shipping").errorClass("E").cause("m"),
            q -> q.subscription("billing").errorClass("F"),
            q -> q.subscription("billing").errorClass("E").cause("m").state(State.DISCARDED),
            q -> q.from(Instant.parse("2100-01-01T00:00:00Z")),
            q -> q.to(Instant.parse("2001-01-01T00:00:00Z")),
            q -> q.subscription("billing").to(Instant.parse("2001-01-01T00:00:00Z")),
            q -> q.errorMessage("rare"),
            q -> q.type("rare"),
            q -> q.source("nobody"),
            q -> q.attemptsAtLeast(99),
            q -> q.replayed(true),
            q -> q.state(State.DISCARDED),
            q -> q.state(State.ANY).errorClass("F"),
            q -> q.ids(List.of(1L, 2L, 3L)),
            q -> q.eventId(new java.util.UUID(1, 2)));

    @Test
    void noSliceReadsMoreThanItsOwnRowsAnalyzedOrNot() throws SQLException {
        for (int i = 0; i < 2; i++) {
            for (UnaryOperator<DeadLetterQuery.Builder> each : QUERIES) {
                DeadLetterQuery query = query(each);
                String plan = plan(
                        Walk.statement(query), DeadLetterTrail.values(query, DeadLetterTrail.beginning(query), 100));
                assertThat(pagesOf(plan)).as(query.describe() + "\n" + plan).isLessThan(330);
                assertThat(plan).as(query.describe().toString()).doesNotContain("Seq Scan on dead_letter");
            }
            database.execute("ANALYZE");
        }
    }

    @Test
    void thePageItselfIsReadByItsIdsAnalyzedOrNot() throws SQLException {
        Long[] ids = {1L, 2L, 3L, (long) MANY, MANY / 2L};
        for (int i = 0; i < 2; i++) {
            assertThat(pagesOf(plan(DeadLetters.READ, Map.of("ids", ids)))).isLessThan(50);
            database.execute("ANALYZE");
        }
    }

    @Test
    void eachQueryWalksTheIndexThatNarrowsItMost() throws SQLException {
        assertWalks("dead_letter_newest", q -> q);
        assertWalks("dead_letter_newest", q -> q.type("t").errorMessage("m"));
        assertWalks("dead_letter_time", q -> q.subscription("billing"));
        assertWalks("dead_letter_time", q -> q.subscription("billing").errorClass("E"));
        assertWalks(
                "dead_letter_group",
                q -> q.subscription("billing").errorClass("E").cause("m"));
        assertWalks("dead_letter_of_key", q -> q.key(KEY_OF_ALL));
        assertWalks("dead_letter_of_key", q -> q.key(KEY_OF_ALL).subscription("billing"));
        assertWalks("dead_letter_pkey", q -> q.ids(List.of(1L, 2L)));
        assertWalks("dead_letter_event", q -> q.eventId(new java.util.UUID(1, 2)));
    }

    private static void assertWalks(String index, UnaryOperator<DeadLetterQuery.Builder> fields) throws SQLException {
        DeadLetterQuery query = query(fields);
        assertThat(plan(Walk.statement(query), DeadLetterTrail.values(query, DeadLetterTrail.beginning(query), 100)))
                .as(query.describe().toString())
                .contains(" using " + index + " ");
    }

    @Test
    void whatIsRareIsFoundSomePagesLaterAndNoPageLooksTooFar() {
        for (UnaryOperator<DeadLetterQuery.Builder> each : List.<UnaryOperator<DeadLetterQuery.Builder>>of(
                q -> q.errorMessage("RARE"), q -> q.type("rare"), q -> q.errorClass("F"))) {
            List<String> types = new ArrayList<>();
            int pages = 0;
            String cursor = null;
            do {
                String from = cursor;
                DeadLetterPage page = letters.find(query(q -> each.apply(q).cursor(from)));
                page.letters().forEach(letter -> types.add(letter.type()));
                cursor = page.cursor();
                pages++;
            } while (cursor != null);
            assertThat(types).containsExactly("rare");
            assertThat(pages).isBetween(3, MANY / Walk.MOST_LOOKED + 1);
        }
    }

    @Test
    void causesAreCountedInTheIndexAlone() throws SQLException {
        database.execute("VACUUM ANALYZE posthorn.dead_letter");
        for (DeadLetterQuery query : List.of(DeadLetterQuery.OPEN, query(q -> q.subscription("billing")))) {
            // Letters this small are read as fast from the table.
            String plan = plan(Queries.WALK_INDEXES, Grouping.statement(query), Grouping.values(query));
            assertThat(plan).contains("Index Only Scan using dead_letter_group");
            assertThat(pagesOf(plan)).as(plan).isLessThan(1_500);
        }
    }

    @Test
    void theTypesOfAGroupAreThoseOfItsNewestLetters() throws SQLException {
        Map<String, Object> values = Map.of(
                "subscriptions", new Long[] {1L, 2L},
                "error_classes", new String[] {"E", "F"},
                "causes", new String[] {"m", "rare"},
                "samples", new Long[] {1L, 2L},
                "counted", true);
        for (int i = 0; i < 2; i++) {
            String plan = plan(WALKING, Grouping.DETAILS, values);
            assertThat(pagesOf(plan)).as(plan).isLessThan(250);
            database.execute("ANALYZE posthorn.dead_letter");
        }
    }

    @Test
    void causesAreToldWithTheirCounts() {
        DeadLetterGroups groups = letters.groups(DeadLetterQuery.OPEN);
        assertThat(groups.complete()).isTrue();
        assertThat(groups.groups()).extracting(DeadLetterGroup::count).containsExactly(MANY + 1L, 1L);
        assertThat(letters.groups(query(q -> q.type("rare"))).groups())
                .extracting(DeadLetterGroup::types)
                .containsExactly(List.of("rare"));
        assertThat(letters.groups(query(q -> q.type("none")))).isEqualTo(new DeadLetterGroups(List.of(), true));
    }

    private static String plan(String sql, Map<String, Object> values) throws SQLException {
        return plan(WALKING, sql, values);
    }

    private static String plan(String setting, String sql, Map<String, Object> values) throws SQLException {
        StringBuilder plan = new StringBuilder();
        try (Connection connection = database.transaction();
                Statement settings = connection.createStatement()) {
            settings.execute(setting);
            Sql explained = Sql.of(SchemaName.DEFAULT, "EXPLAIN (ANALYZE, BUFFERS) " + sql);
            try (PreparedStatement statement = explained.prepare(connection, values);
                    ResultSet lines = statement.executeQuery()) {
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
}
