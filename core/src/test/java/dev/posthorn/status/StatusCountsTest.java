package dev.posthorn.status;

import static dev.posthorn.TroubleRows.NOTHING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.TestDatabase;
import dev.posthorn.TroubleRows;
import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.log.SchemaName;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StatusCountsTest {

    private TestDatabase database;
    private TroubleRows rows;
    private EventStatuses statuses;
    private Gauges gauges;
    private String start;
    private long subscription;

    @BeforeEach
    void createDatabase() {
        database = TestDatabase.create();
        rows = new TroubleRows(database);
        statuses = new EventStatuses(database.dataSource(), SchemaName.DEFAULT);
        gauges = new Gauges(database.dataSource(), SchemaName.DEFAULT);
        start = rows.snapshot();
        subscription = rows.subscriptionAt("billing", start);
    }

    @Test
    void everyStatusIsCountedOnce() {
        oneOfEach();
        StatusCounts counts = statuses.counts("billing");
        assertThat(counts.of(Status.FAILED)).isEqualTo(Count.exactly(1));
        assertThat(counts.of(Status.DISCARDED)).isEqualTo(Count.exactly(1));
        assertThat(counts.of(Status.HELD)).isEqualTo(Count.exactly(1));
        assertThat(counts.of(Status.SENDING)).isEqualTo(Count.exactly(1));
        assertThat(counts.waiting()).isEqualTo(Count.exactly(3));
        assertThat(counts.of(Status.PENDING)).isEqualTo(Count.exactly(5));
        assertThat(counts.of(Status.DELIVERED).exact()).isFalse();
        assertThat(counts.of(Status.DELIVERED).value())
                .as("less what failed ahead of the mark")
                .isBetween(0L, 1L);
        assertThat(database.value("SELECT string_agg(n || ' ' || status, ', ' ORDER BY status) FROM (SELECT status,"
                        + " count(*) AS n FROM posthorn.event_status GROUP BY status) by_status"))
                .as("the view says the same")
                .isEqualTo("1 DELIVERED, 1 DISCARDED, 1 FAILED, 1 HELD, 5 PENDING, 1 SENDING");
    }

    /** Two windows; the mark and the high-water are in the first; what has a row lies on both sides of the mark. */
    private void oneOfEach() {
        rows.event("delivered");
        long waiting = rows.event("k");
        long held = rows.event("k");
        long failed = rows.event("f");
        long discarded = rows.event("d");
        long mark = rows.event("replayed");
        long sending = rows.event("s");
        long failedAhead = rows.event("a");
        rows.event("pending");
        String b = rows.snapshot();
        rows.event("pending after the window");
        rows.mark(subscription, start, b, mark);
        rows.mark(subscription, "high_seq = " + sending);
        rows.delivery(subscription, waiting, "WAITING", 4);
        rows.delivery(subscription, held, "HELD", 0);
        rows.delivery(subscription, failedAhead, "WAITING", 1);
        rows.deadLetter(subscription, failed, "E", "m", "m");
        long letter = rows.deadLetter(subscription, discarded, "E", "m", "m");
        database.execute("UPDATE posthorn.dead_letter SET discarded_at = now() WHERE id = " + letter);
        long replayed = rows.deadLetter(subscription, mark, "E", "m", "m");
        rows.delivery(subscription, mark, "WAITING", 0);
        database.execute("UPDATE posthorn.delivery SET dead_letter_id = " + replayed + " WHERE seq = " + mark);
        rows.receipt(subscription, start, b, mark, 6, "now()");
    }

    @Test
    void allSubscriptionsAreCountedByNameSoManyAtATime() {
        rows.subscriptionAt("audit", start);
        rows.subscriptionAt("shipping", start);
        rows.event("k");
        assertThat(statuses.counts("", 2).keySet()).containsExactly("audit", "billing");
        assertThat(statuses.counts("billing", 2)).containsOnlyKeys("shipping");
        assertThat(statuses.counts("", 9))
                .allSatisfy((name, counts) -> assertThat(counts).isEqualTo(statuses.counts(name)));
    }

    @Test
    void whatTheFilterAndOtherLanesDoNotWantIsNotCounted() {
        database.execute("UPDATE posthorn.generation SET types = '{order.%}'");
        rows.event("order.placed", "k");
        rows.event("customer.moved", "k");
        assertThat(statuses.counts("billing").pending()).isEqualTo(Count.exactly(1));
    }

    @Test
    void whatDoesNotCarryTheWantedHeadersIsNotCounted() {
        rows.event("k");
        database.record("k");
        assertThat(statuses.counts("billing").pending()).isEqualTo(Count.exactly(2));
        database.execute("UPDATE posthorn.generation SET headers = '{\"tenant\": \"7\"}'");
        assertThat(statuses.counts("billing").pending()).isEqualTo(Count.exactly(1));
        database.execute("UPDATE posthorn.generation SET headers = '{\"tenant\": \"8\"}'");
        assertThat(statuses.counts("billing").pending()).isEqualTo(Count.exactly(0));
    }

    @Test
    void theFirstWindowSinceATimeIsCountedFromThatTime() {
        long older = rows.event("k");
        rows.event("k");
        database.execute("UPDATE posthorn.event SET created_at = '2020-01-01Z' WHERE seq = " + older);
        long since = rows.subscription("since");
        String b = rows.snapshot();
        rows.generation(since, 1, 1, NOTHING, ", start_b = '" + b + "', since = '2021-01-01Z'");
        rows.lane(since, 1, 0, NOTHING, b, 0);
        assertThat(statuses.counts("since").pending()).isEqualTo(Count.exactly(1));
    }

    @Test
    void eventsOfAnEarlierEraAreCountedWhileTheyAreDrained() {
        List<Long> former = List.of(rows.eventOf(900_000_001, "k"), rows.eventOf(900_000_002, "k"));
        database.execute("UPDATE posthorn.cluster SET era = 1, floor_seq = " + former.get(1));
        database.execute("INSERT INTO posthorn.era VALUES (1, " + former.get(1) + ")");
        String b = rows.snapshot();
        rows.mark(subscription, NOTHING, b, 0);
        database.execute("INSERT INTO posthorn.lane_drain SELECT lane_id, '900000001:900000001:',"
                + " '900000001:900000001:', 0, 0, 0, " + former.get(1) + " FROM posthorn.lane_mark");
        rows.event("k");
        assertThat(statuses.counts("billing").pending()).isEqualTo(Count.exactly(3));
        rows.mark(subscription, "seq = " + former.get(0));
        assertThat(statuses.counts("billing").pending()).isEqualTo(Count.exactly(2));
        rows.mark(subscription, b, b, 0);
        assertThat(statuses.counts("billing").pending()).isEqualTo(Count.exactly(1));
    }

    @Test
    void beyondTheBoundItIsAnEstimateThatSaysSo() {
        for (int i = 0; i < 30; i++) {
            rows.event("k");
        }
        Count pending = new EventStatuses(database.dataSource(), SchemaName.DEFAULT, 10)
                .counts("billing")
                .pending();
        assertThat(pending.exact()).isFalse();
        assertThat(pending.value()).isBetween(28L, 32L);
        assertThat(statuses.counts("billing").pending()).isEqualTo(Count.exactly(30));
    }

    @Test
    void anEventIsStuckOnceItsLaneHasStoodThatLongWhateverItsLeaseSays() {
        long sending = rows.event("k");
        long recent = rows.event("k");
        long pending = rows.event("k");
        String b = rows.snapshot();
        long later = rows.event("k");
        String c = rows.snapshot();
        rows.mark(subscription, start, b, 0);
        rows.mark(subscription, "read_seq = " + pending + ", high_seq = " + recent);
        database.execute("INSERT INTO posthorn.session (id, instance, link, ttl, expires_at, obeys) VALUES"
                + " (gen_random_uuid(), 'node-1', gen_random_uuid(), '1 h', now() + interval '1 h',"
                + " pg_current_snapshot())");
        database.execute("UPDATE posthorn.lane_owner SET session_id = (SELECT id FROM posthorn.session)");
        rows.mark(subscription, "moved_at = now() - interval '20 min'");
        ageEvents(later);
        database.execute("UPDATE posthorn.event SET created_at = now() WHERE seq = " + recent);
        assertThat(statuses.stuckSending(Duration.ofMinutes(30))).isEmpty();

        rows.mark(subscription, "moved_at = now() - interval '40 min'");
        List<StuckEvent> stuck = statuses.stuckSending(Duration.ofMinutes(30));
        assertThat(stuck).hasSize(1);
        assertThat(stuck.get(0).seq()).isEqualTo(sending);
        assertThat(stuck.get(0).eventId()).isEqualTo(rows.id(sending));
        assertThat(stuck.get(0).owner()).isEqualTo("node-1");
        assertThat(stuck.get(0).subscription()).isEqualTo("billing");

        ageEvents(later);
        rows.mark(subscription, "high_a = '%s', high_b = '%s', high_seq = %d, read_seq = %3$d".formatted(b, c, later));
        assertThat(statuses.stuckSending(Duration.ofMinutes(30)))
                .extracting(StuckEvent::seq)
                .containsExactly(sending, recent, pending, later);
        rows.delivery(subscription, pending, "WAITING", 1);
        rows.deadLetter(subscription, recent, "E", "m", "m");
        assertThat(statuses.stuckSending(Duration.ofMinutes(30)))
                .extracting(StuckEvent::seq)
                .containsExactly(sending, later);

        rows.subscriptionAt("idle", c);
        assertThat(statuses.stuckSending(Duration.ofMinutes(30), "idle", 9))
                .isEqualTo(new EventList<>(List.of(), true));
        EventList<StuckEvent> first = statuses.stuckSending(Duration.ofMinutes(30), "billing", 1);
        assertThat(first.events()).extracting(StuckEvent::seq).containsExactly(sending);
        assertThat(first.complete()).isFalse();
        assertThat(statuses.stuckSending(Duration.ofMinutes(30), "billing", 2).complete())
                .isTrue();
    }

    private void ageEvents(long upTo) {
        database.execute("UPDATE posthorn.event SET created_at = now() - interval '1 h' WHERE seq <= " + upTo);
    }

    @Test
    void eventsNearTheirLastAttemptAreNamed() {
        long fresh = rows.event("a");
        long oneLeft = rows.event("b");
        long twoLeft = rows.event("c");
        rows.delivery(subscription, fresh, "WAITING", 1);
        rows.delivery(subscription, oneLeft, "WAITING", 4);
        rows.delivery(subscription, twoLeft, "WAITING", 3);
        assertThat(statuses.nearLastAttempt(2)).as("attempts without limit").isEmpty();
        database.execute("UPDATE posthorn.subscription SET max_attempts = 5");
        assertThat(statuses.nearLastAttempt(2)).extracting(LastChance::seq).containsExactly(oneLeft, twoLeft);
        assertThat(statuses.nearLastAttempt(1)).singleElement().satisfies(event -> {
            assertThat(event.attempts()).isEqualTo(4);
            assertThat(event.maxAttempts()).isEqualTo(5);
            assertThat(event.errorMessage()).isEqualTo("busy");
        });

        rows.subscriptionAt("idle", start);
        assertThat(statuses.nearLastAttempt(2, "idle", 9)).isEqualTo(new EventList<>(List.of(), true));
        EventList<LastChance> first = statuses.nearLastAttempt(2, "billing", 1);
        assertThat(first.events()).extracting(LastChance::seq).containsExactly(oneLeft);
        assertThat(first.complete()).isFalse();
    }

    /** Its attempts are gone with it, and it looked like one that went well at once. */
    @Test
    void aPurgedDeadLetterIsNotInTheLatency() {
        long purged = rows.event("k");
        String b = rows.snapshot();
        rows.receipt(subscription, b, b, 0, 1, "now()");
        assertThat(statuses.averageLatency("billing", Duration.ofHours(1))).isPresent();
        rows.deadLetter(subscription, purged, "purged", "purged", "purged");
        assertThat(statuses.averageLatency("billing", Duration.ofHours(1))).isEmpty();
    }

    @Test
    void latencyIsThatOfTheNewestEventOfEachReceiptAndOfThoseThatWereRetried() {
        assertThat(statuses.averageLatency("billing", Duration.ofHours(1))).isEmpty();
        rows.event("k");
        String b = rows.snapshot();
        rows.event("k");
        long third = rows.event("k");
        long retried = rows.event("r");
        String c = rows.snapshot();
        Instant now = Instant.now();
        database.execute("UPDATE posthorn.event SET created_at = " + before(now, 1000));
        rows.receipt(subscription, b, b, 0, 1, before(now, 990));
        rows.receipt(subscription, b, c, third, 3, before(now, 980));
        // Of something else: what it covers was covered before.
        rows.receipt(subscription, b, c, third, 100, before(now, 500));
        Latency latency =
                statuses.averageLatency("billing", Duration.ofHours(1)).orElseThrow();
        assertThat(latency.sample()).isEqualTo(2);
        assertThat(latency.average()).isBetween(Duration.ofMillis(17_400), Duration.ofMillis(17_600));

        rows.attempt(subscription, retried, 2, "DELIVERED", before(now, 952));
        latency = statuses.averageLatency("billing", Duration.ofHours(1)).orElseThrow();
        assertThat(latency.sample()).isEqualTo(3);
        // (10 + 3 * 20 + 49.5) / 5
        assertThat(latency.average()).isBetween(Duration.ofMillis(23_800), Duration.ofMillis(24_000));
        assertThat(statuses.averageLatency("billing", Duration.ofMinutes(1))).isEmpty();
        assertThat(statuses.averageLatency("billing", now.minusSeconds(3_600), now))
                .contains(latency);
        assertThat(statuses.averageLatency("billing", now.minusSeconds(995), now.minusSeconds(985)))
                .as("the first receipt alone")
                .hasValueSatisfying(first -> {
                    assertThat(first.sample()).isEqualTo(1);
                    assertThat(first.average()).isBetween(Duration.ofMillis(9_900), Duration.ofMillis(10_100));
                });
        assertThat(statuses.averageLatency("billing", now.minusSeconds(985), now.minusSeconds(970)))
                .as("the second receipt alone")
                .hasValueSatisfying(second -> {
                    assertThat(second.sample()).isEqualTo(1);
                    assertThat(second.average()).isBetween(Duration.ofMillis(19_900), Duration.ofMillis(20_100));
                });
    }

    /** Of one moment: between two statements that each ask for the time, some of it may pass. */
    private static String before(Instant now, int seconds) {
        return "timestamptz '" + now.minusSeconds(seconds) + "'";
    }

    @Test
    void gaugesTellHowASubscriptionIsDoing() {
        rows.subscriptionAt("idle", rows.snapshot());
        oneOfEach();
        database.execute("UPDATE posthorn.event SET created_at = now() - interval '1 h' WHERE seq = 2");
        database.execute("UPDATE posthorn.subscription SET paused = true WHERE name = 'billing'");
        database.execute("INSERT INTO posthorn.lane_gauge SELECT id, now() - interval '5 min', 'refused', 3"
                + " FROM posthorn.lane WHERE subscription_id = " + subscription);
        database.execute("UPDATE posthorn.dead_letter SET first_failed_at = now() - interval '2 h'");
        SubscriptionGauges billing = gauges.of("billing");
        assertThat(billing.pending()).isEqualTo(Count.exactly(5));
        assertThat(billing.held()).isEqualTo(1);
        assertThat(billing.waiting()).isEqualTo(3);
        assertThat(billing.deadLetters()).isEqualTo(1);
        assertThat(billing.paused()).isTrue();
        assertThat(billing.blockedKeys()).isEqualTo(3);
        assertThat(billing.oldestAge()).isBetween(Duration.ofMinutes(60), Duration.ofMinutes(61));
        assertThat(billing.oldestDeadLetterAge()).isBetween(Duration.ofMinutes(120), Duration.ofMinutes(121));
        assertThat(billing.breaker()).isNotNull();
        assertThat(billing.breaker().reason()).isEqualTo("refused");
        assertThat(billing.breaker().lanes()).isEqualTo(1);

        List<SubscriptionGauges> all = gauges.all();
        assertThat(all).extracting(SubscriptionGauges::subscription).containsExactly("billing", "idle");
        rows.mark(subscription + 1, rows.snapshot(), rows.snapshot(), 0);
        assertThat(gauges.of("idle"))
                .isEqualTo(new SubscriptionGauges("idle", Count.exactly(0), null, 0, 0, 0, null, null, null, false, 0));
    }

    @Test
    void aDeferredEventIsNotLateAndALiveOneIs() {
        long deferred = rows.event("k");
        String b = rows.snapshot();
        rows.mark(subscription, b, b, 0);
        rows.delivery(subscription, deferred, "DEFERRED", 0);
        database.execute("UPDATE posthorn.event SET created_at = now() - interval '1 h'");
        assertThat(gauges.of("billing").oldestAge()).isNull();
        long live = rows.event("k");
        database.execute("UPDATE posthorn.event SET created_at = now() - interval '10 min' WHERE seq = " + live);
        assertThat(gauges.of("billing").oldestAge()).isBetween(Duration.ofMinutes(10), Duration.ofMinutes(11));
    }

    @Test
    void unknownSubscriptionsAndSenselessNumbersAreRefused() {
        refused(() -> statuses.counts("nobody"), ErrorCode.NOT_FOUND, "there is no subscription named 'nobody'");
        refused(() -> gauges.of("nobody"), ErrorCode.NOT_FOUND, "there is no subscription named 'nobody'");
        refused(
                () -> statuses.averageLatency("nobody", Duration.ofHours(1)),
                ErrorCode.NOT_FOUND,
                "there is no subscription named 'nobody'");
        refused(
                () -> statuses.averageLatency("billing", Duration.ZERO),
                ErrorCode.INVALID_REQUEST,
                "period is 0; it must be at least 1");
        refused(
                () -> statuses.stuckSending(Duration.ofSeconds(-1)),
                ErrorCode.INVALID_REQUEST,
                "stuckFor is -1000; it must be at least 0");
        refused(
                () -> statuses.stuckSending(Duration.ZERO, "nobody", 1),
                ErrorCode.NOT_FOUND,
                "there is no subscription named 'nobody'");
        refused(
                () -> statuses.nearLastAttempt(1, "nobody", 1),
                ErrorCode.NOT_FOUND,
                "there is no subscription named 'nobody'");
        refused(
                () -> statuses.nearLastAttempt(1, null, 1_001),
                ErrorCode.INVALID_REQUEST,
                "limit is 1001; it must be from 1 to 1000");
        refused(
                () -> statuses.averageLatency("billing", Instant.EPOCH, Instant.EPOCH),
                ErrorCode.INVALID_REQUEST,
                "from is 1970-01-01T00:00:00Z and to is 1970-01-01T00:00:00Z; from must be before to");
        refused(() -> statuses.nearLastAttempt(-1), ErrorCode.INVALID_REQUEST, "left is -1; it must be at least 0");
        refused(
                () -> new Gauges(database.dataSource(), SchemaName.DEFAULT, 0),
                ErrorCode.INVALID_REQUEST,
                "bound is 0; it must be at least 1");
    }

    private static void refused(ThrowingCallable work, ErrorCode code, String message) {
        assertThatThrownBy(work)
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageStartingWith(message);
    }
}
