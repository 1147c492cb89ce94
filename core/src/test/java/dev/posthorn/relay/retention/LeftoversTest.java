package dev.posthorn.relay.retention;

import static dev.posthorn.relay.fixture.RetentionDatabase.WEEK;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.log.SchemaName;
import dev.posthorn.log.Session;
import dev.posthorn.log.Sql;
import dev.posthorn.relay.fixture.RetentionDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What is deleted row by row: of each table the old rows go, the others stay. */
class LeftoversTest {

    private static final String STRAY = """
            INSERT INTO posthorn.event (seq, id, source, type, version, content_type, payload, occurred_at)
            SELECT seq, gen_random_uuid(), 's', 't', 1, 'a/b', '', now() FROM generate_series(%s, %s) seq
            """;

    private final RetentionDatabase log = new RetentionDatabase();

    @Test
    void settledEventsOfTheDefaultPartitionGoInBatches() {
        long lane = log.lane("test");
        log.database.execute(STRAY.formatted(1_001, 3_500));
        log.settle(lane);
        log.clock.advance(WEEK);
        log.database.execute(STRAY.formatted(4_001, 4_002));
        log.settle(lane);
        assertThat(log.keeper().pass().deleted())
                .as("not older than a week yet")
                .isZero();
        log.clock.advance(Duration.ofSeconds(1));
        assertThat(log.keeper().pass().deleted()).isEqualTo(2_500);
        assertThat(log.count("event_default")).as("the young ones").isEqualTo(2);
    }

    @Test
    void aStrayEventThatALaneHasNotSettledStays() {
        long one = log.lane("one");
        long two = log.lane("two");
        log.database.execute(STRAY.formatted(1_001, 1_001));
        log.settle(one);
        log.clock.advance(WEEK.multipliedBy(2));
        assertThat(log.keeper().pass().deleted()).isZero();
        log.settle(two);
        assertThat(log.keeper().pass().deleted()).isOne();
    }

    @Test
    void withoutAnySubscriptionStrayEventsGoByAge() {
        log.database.execute(STRAY.formatted(1_001, 1_001));
        log.clock.advance(WEEK.multipliedBy(2));
        assertThat(log.keeper().pass().deleted()).isOne();
    }

    @Test
    void aStrayEventThatADeliveryRowNeedsIsKept() {
        long lane = log.lane("test");
        log.database.execute(STRAY.formatted(1_001, 1_002));
        log.deliveryRow(lane, 1_002);
        log.settle(lane);
        log.clock.advance(WEEK.multipliedBy(2));
        assertThat(log.keeper().pass().deleted()).isEqualTo(2);
        assertThat(log.database.number("SELECT seq FROM posthorn.kept_event")).isEqualTo(1_002);
    }

    @Test
    void strayEventsOfAnEarlierEraGoAsFarAsTheyAreDrained() {
        long lane = log.lane("moved");
        log.database.execute(STRAY.formatted(1_001, 1_010));
        log.database.execute("UPDATE posthorn.cluster SET era = 1, floor_seq = 1008");
        log.clock.advance(WEEK.multipliedBy(2));
        log.move(lane, "a = '1:1:', b = pg_current_snapshot(), seq = 1005");
        assertThat(log.keeper().pass().deleted()).isEqualTo(5);
        log.settle(lane);
        assertThat(log.keeper().pass().deleted()).isEqualTo(5);
    }

    @Test
    void attempts() {
        log.lane("test");
        attempt(WEEK.plusSeconds(1));
        attempt(WEEK.minusSeconds(1));
        log.keeper().pass();
        assertThat(log.count("attempt")).isOne();
        log.clock.advance(WEEK);
        Retention forEver = new Retention(WEEK, null, null, null, Duration.ofMinutes(1));
        log.keeper(forEver).pass();
        assertThat(log.count("attempt")).isOne();
    }

    @Test
    void inboxEntriesInBatches() {
        inboxEntries(2_500, WEEK.plusSeconds(1));
        inboxEntries(10, WEEK.minusSeconds(1));
        assertThat(deleteBatch("inbox entries")).isEqualTo(Leftovers.BATCH);
        assertThat(log.count("inbox_entry")).isEqualTo(1_510);
        assertThat(log.keeper().pass().deleted()).isEqualTo(1_500);
        assertThat(log.count("inbox_entry")).as("the young ones").isEqualTo(10);
        log.clock.advance(WEEK);
        Retention forEver = new Retention(WEEK, WEEK, WEEK, null, Duration.ofMinutes(1));
        log.keeper(forEver).pass();
        assertThat(log.count("inbox_entry")).isEqualTo(10);
    }

    @Test
    void aConsumerThatSaysForHowLongKeepsItsEntriesSoLong() {
        inboxEntries(10, WEEK.plusSeconds(1));
        log.database.execute("INSERT INTO posthorn.inbox_retention (consumer, entries_ms) VALUES ('a', 1000),"
                + " ('billing', " + WEEK.multipliedBy(2).toMillis() + "), ('c', NULL)");
        for (String consumer : List.of("a", "b", "c")) {
            log.database.execute(
                    "INSERT INTO posthorn.inbox_entry (consumer, event_id, entered_at) VALUES ('" + consumer
                            + "', gen_random_uuid(), posthorn.clock() - interval '1 minute'), ('" + consumer
                            + "', gen_random_uuid(), posthorn.clock() - interval '1 year')");
        }
        assertThat(log.keeper().pass().deleted()).isEqualTo(3);
        assertThat(log.database.value("SELECT string_agg(consumer || count, ' ' ORDER BY consumer) FROM"
                        + " (SELECT consumer, count(*) FROM posthorn.inbox_entry GROUP BY consumer) c"))
                .isEqualTo("b1 billing10 c2");
        Retention forEver = new Retention(WEEK, WEEK, WEEK, null, Duration.ofMinutes(1));
        log.clock.advance(WEEK.multipliedBy(2));
        assertThat(log.keeper(forEver).pass().deleted())
                .as("its own word counts")
                .isEqualTo(10);
    }

    /** New entries take the space of deleted ones, which must not make every pass read the whole table. */
    @Test
    void aPassOverAnInboxWithoutOldEntriesTouchesFewPages() {
        log.database.execute("ALTER TABLE posthorn.inbox_entry SET (autovacuum_enabled = off)");
        inboxEntries(50_000, WEEK.plusSeconds(1));
        log.database.execute("DELETE FROM posthorn.inbox_entry");
        log.database.execute("VACUUM posthorn.inbox_entry");
        inboxEntries(50_000, Duration.ofHours(1));
        assertThat(log.database.number("SELECT pg_relation_size('posthorn.inbox_entry') / 8192"))
                .isLessThan(700);
        assertThat(pages("inbox entries")).isLessThan(20);
    }

    @Test
    void receiptsADayAfterTheEventsTheyAreAbout() {
        long lane = log.lane("test");
        receipt(lane, WEEK.plusDays(1).plusSeconds(1));
        receipt(lane, WEEK.plusDays(1).minusSeconds(1));
        log.keeper().pass();
        assertThat(log.count("receipt")).isOne();
    }

    @Test
    void commandsAMonthAfterTheyWereAnswered() {
        log.lane("test");
        for (String answered : new String[] {"'31 days'", "'29 days'", "NULL"}) {
            log.database.execute("INSERT INTO posthorn.command (subscription_id, kind, event_id, seq, requested_by,"
                    + " requested_at, answered_at) SELECT id, 'RELEASE', gen_random_uuid(), 1, 'ops',"
                    + " posthorn.clock() - interval '1 year', posthorn.clock() - " + answered
                    + "::interval FROM posthorn.subscription");
        }
        log.keeper().pass();
        assertThat(log.count("command")).isEqualTo(2);
    }

    @Test
    void sessionsThatHaveNotBeenHeardOfForADay() {
        log.lane("test");
        session("25 hours");
        session("23 hours");
        log.keeper().pass();
        assertThat(log.database.value("SELECT instance FROM posthorn.session")).isEqualTo("23 hours");
        assertThat(log.count("served")).isOne();
    }

    /** One that serves all subscriptions, and expired so long ago. */
    private void session(String expired) {
        log.database.execute("INSERT INTO posthorn.session (id, instance, link, ttl, expires_at, obeys) VALUES"
                + " (gen_random_uuid(), '%1$s', gen_random_uuid(), '30 s', posthorn.clock() - interval '%1$s',"
                        .formatted(expired)
                + " pg_current_snapshot())");
        log.database.execute("INSERT INTO posthorn.served SELECT u.id, s.id FROM posthorn.subscription u"
                + " CROSS JOIN posthorn.session s WHERE s.instance = '" + expired + "'");
    }

    @Test
    void deadLettersThatNobodyIsBusyWith() {
        long lane = log.lane("test");
        deadLetter(1, "a", false);
        deadLetter(2, "b", false);
        deadLetter(3, "c", true);
        deadLetter(4, "d", true);
        deadLetter(5, "e", false);
        log.clock.advance(WEEK.plusSeconds(1));
        deadLetter(6, "f", false);
        log.deliveryRow(lane, 2);
        log.database.execute("UPDATE posthorn.delivery SET dead_letter_id = 2");
        log.database.execute(
                "UPDATE posthorn.dead_letter SET discarded_at = posthorn.clock(), discarded_by = 'ops' WHERE seq = 4");
        log.database.execute("INSERT INTO posthorn.command (subscription_id, kind, key, event_id, seq, requested_by)"
                + " SELECT id, 'RELEASE', 'e', gen_random_uuid(), 5, 'ops' FROM posthorn.subscription");
        log.keeper(Retention.defaults()).pass();
        assertThat(log.count("dead_letter")).as("by default for ever").isEqualTo(6);
        log.keeper().pass();
        assertThat(log.database.value("SELECT string_agg(seq::text, ' ' ORDER BY seq) FROM posthorn.dead_letter"))
                .as("one is being sent again, one holds its key, one is to be sent again, one is young")
                .isEqualTo("2 3 5 6");
    }

    /** Without it the event would look delivered, and could be replayed as one that was. */
    @Test
    void noDeadLetterWhoseEventTheLogHas() {
        log.lane("test");
        log.record("{}");
        deadLetter(1, "a", false);
        log.clock.advance(WEEK.plusSeconds(1));
        log.keeper().pass();
        assertThat(log.count("dead_letter")).isOne();
        log.database.execute("DELETE FROM posthorn.event");
        log.keeper().pass();
        assertThat(log.count("dead_letter")).isZero();
    }

    @Test
    void purgedDeadLettersOfEventsThatTheLogDoesNotHave() {
        log.lane("test");
        for (long seq = 1; seq <= 3; seq++) {
            log.record("{}");
            deadLetter(seq, "k" + seq, false);
        }
        log.database.execute("UPDATE posthorn.dead_letter SET purged_at = posthorn.clock() WHERE seq <> 1");
        log.keeper(Retention.defaults()).pass();
        assertThat(log.count("dead_letter")).isEqualTo(3);
        log.database.execute("DELETE FROM posthorn.event WHERE seq <= 2");
        log.keeper(Retention.defaults()).pass();
        assertThat(log.database.value("SELECT string_agg(seq::text, ' ' ORDER BY seq) FROM posthorn.dead_letter"))
                .as("one was not purged, of one the log has the event")
                .isEqualTo("1 3");
        log.database.execute("DELETE FROM posthorn.event");
        log.keeper(Retention.defaults()).pass();
        assertThat(log.database.value("SELECT string_agg(seq::text, ' ' ORDER BY seq) FROM posthorn.dead_letter"))
                .isEqualTo("1");
    }

    @Test
    void lanesOfFormerGenerationsAfterTheirReceipts() {
        long former = log.lane("test");
        receipt(former, WEEK);
        log.database.execute("DELETE FROM posthorn.lane_mark");
        log.database.execute("UPDATE posthorn.subscription SET generation = 2");
        log.database.execute(
                "INSERT INTO posthorn.lane (subscription_id, generation, index) SELECT id, 2, 0 FROM posthorn.subscription");
        log.keeper().pass();
        assertThat(log.count("lane")).isEqualTo(2);
        log.clock.advance(Duration.ofDays(2));
        log.keeper().pass();
        log.keeper().pass();
        assertThat(log.database.value("SELECT string_agg(generation::text, ' ') FROM posthorn.lane"))
                .isEqualTo("2");
    }

    @Test
    void whatIsLockedIsLeftForTheNextPassAndKeepsNothingElse() throws SQLException {
        log.lane("test");
        attempt(WEEK.multipliedBy(2));
        session("2 days");
        try (Connection busy = log.database.transaction();
                Statement statement = busy.createStatement()) {
            statement.execute("SELECT FROM posthorn.attempt FOR UPDATE");
            assertThat(log.keeper().pass().complete()).isFalse();
            assertThat(log.count("session")).isZero();
            assertThat(log.count("attempt")).isOne();
            busy.rollback();
        }
        assertThat(log.keeper().pass().complete()).isTrue();
        assertThat(log.count("attempt")).isZero();
    }

    private void inboxEntries(int count, Duration age) {
        log.database.execute("INSERT INTO posthorn.inbox_entry (consumer, event_id, entered_at)"
                + " SELECT 'billing', gen_random_uuid(), posthorn.clock() - interval '" + age
                + "' FROM generate_series(1, " + count + ")");
    }

    private long deleteBatch(String what) {
        try (Session session = new Session(log.database.dataSource(), SchemaName.DEFAULT)) {
            return new RetentionStore(session).delete(kind(what)).orElseThrow();
        }
    }

    /** How many pages a batch touches in the keeper's own session. */
    private long pages(String what) {
        Sql explain = Sql.of(
                SchemaName.DEFAULT, "EXPLAIN (ANALYZE, BUFFERS) " + kind(what).delete());
        try (Session session = new Session(log.database.dataSource(), SchemaName.DEFAULT)) {
            String plan = session.query("explaining", explain, kind(what).values(), lines -> {
                StringBuilder text = new StringBuilder();
                while (lines.next()) {
                    text.append(lines.getString(1)).append('\n');
                }
                return text.toString();
            });
            Matcher figures = Pattern.compile("Buffers: shared hit=(\\d+)(?: read=(\\d+))?")
                    .matcher(plan);
            assertThat(figures.find()).as(plan).isTrue();
            return Long.parseLong(figures.group(1)) + (figures.group(2) == null ? 0 : Long.parseLong(figures.group(2)));
        }
    }

    private static Leftovers.Kind kind(String what) {
        return Leftovers.of(RetentionDatabase.A_WEEK).stream()
                .filter(kind -> kind.what().equals(what))
                .findFirst()
                .orElseThrow();
    }

    private void attempt(Duration age) {
        log.database.execute("INSERT INTO posthorn.attempt SELECT id, 1, 1, posthorn.clock() - interval '" + age
                + "', 5, 'RETRY', NULL, NULL, 'i' FROM posthorn.subscription");
    }

    private void receipt(long lane, Duration age) {
        log.database.execute("INSERT INTO posthorn.receipt VALUES (" + lane
                + ", 0, '1:1:', '1:1:', 0, 1, posthorn.clock() - interval '" + age + "')");
    }

    private void deadLetter(long seq, String key, boolean holdsKey) {
        log.database.execute(
                "INSERT INTO posthorn.dead_letter (subscription_id, txid, seq, event_id, source, type, version, key,"
                        + " content_type, payload, occurred_at, recorded_at, attempts, error_class, error_message, cause,"
                        + " first_failed_at, last_failed_at, holds_key) SELECT id, '7', " + seq
                        + ", gen_random_uuid(), 's', 't', 1, '" + key + "', 'a/b', '', now(), now(), 5, 'x', 'x', 'x',"
                        + " posthorn.clock(), posthorn.clock(), " + holdsKey + " FROM posthorn.subscription");
    }
}
