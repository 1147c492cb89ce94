package dev.posthorn.status;

import static dev.posthorn.TroubleRows.NOTHING;
import static dev.posthorn.status.Status.DELIVERED;
import static dev.posthorn.status.Status.PENDING;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.TestDatabase;
import dev.posthorn.TroubleRows;
import dev.posthorn.log.SchemaName;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Of a lane that rides, people see what its front has settled: its own row says where it got on. */
class RiderStatusTest {

    private final TestDatabase database = TestDatabase.create();
    private final TroubleRows rows = new TroubleRows(database);
    private final EventStatuses statuses = new EventStatuses(database.dataSource(), SchemaName.DEFAULT);
    private final Gauges gauges = new Gauges(database.dataSource(), SchemaName.DEFAULT);
    private final Lanes lanes = new Lanes(database.dataSource(), SchemaName.DEFAULT);
    private String start;
    private long billing;
    private long shipping;
    private UUID front;

    @BeforeEach
    void letOneRideAndOneStandByItself() {
        start = rows.snapshot();
        billing = rows.subscriptionAt("billing", start);
        shipping = rows.subscriptionAt("shipping", start);
        front = rows.front(start, start, 0);
        rows.ride(billing, front);
    }

    private SubscriptionStatus of(String subscription, long seq) {
        return statuses.of(rows.id(seq)).orElseThrow().subscriptions().stream()
                .filter(status -> status.subscription().equals(subscription))
                .findFirst()
                .orElseThrow();
    }

    private void frontAt(String a, String b, long seq) {
        rows.front(front, "a = '%s', b = '%s', seq = %d".formatted(a, b, seq));
    }

    @Test
    void anEventIsDeliveredWhereTheFrontIsPastItAndPendingBeyond() {
        long first = rows.event("k");
        long second = rows.event("k");
        String b = rows.snapshot();
        long third = rows.event("k");
        frontAt(start, b, first);
        assertThat(List.of(of("billing", first).status(), of("billing", second).status()))
                .containsExactly(DELIVERED, PENDING);
        assertThat(of("shipping", first).status()).isEqualTo(PENDING);
        frontAt(b, b, 0);
        assertThat(List.of(of("billing", second).status(), of("billing", third).status()))
                .containsExactly(DELIVERED, PENDING);
    }

    /** Nothing beyond the front is known to be on its way, whatever the lane had in hand when it got on. */
    @Test
    void whatItsOwnRowSaysOfItsHandIsOfNoMeaning() {
        long first = rows.event("k");
        String b = rows.snapshot();
        rows.mark(billing, "high_a = '%s', high_b = '%1$s', high_seq = %d".formatted(b, first));
        assertThat(of("billing", first).status()).isEqualTo(PENDING);
        assertThat(statuses.stuckSending(Duration.ZERO)).isEmpty();
    }

    @Test
    void itWasDeliveredAtTheTimeOfTheFirstReceiptOfItsFrontThatCoversItAndNamesTheLane() {
        long first = rows.event("k");
        String b = rows.snapshot();
        long second = rows.event("k");
        String c = rows.snapshot();
        frontAt(c, c, 0);
        rows.frontReceipt(start, start, 0, 1, "now() + interval '1 h'", billing);
        rows.frontReceipt(b, b, 0, 1, "now() + interval '2 h'", shipping);
        rows.frontReceipt(b, b, 0, 1, "now() + interval '3 h'", shipping, billing);
        rows.frontReceipt(c, c, 0, 1, "now() + interval '4 h'", shipping, billing);
        assertThat(hoursUntilDelivered(first)).isEqualTo(3);
        assertThat(hoursUntilDelivered(second)).isEqualTo(4);
    }

    @Test
    void aReceiptOfItsOwnCountsIfThatIsEarlierAndIfNoOtherIsKept() {
        long event = rows.event("k");
        String b = rows.snapshot();
        frontAt(b, b, 0);
        assertThat(of("billing", event).deliveredAt()).isNull();
        rows.receipt(billing, b, b, 0, 0, "now() + interval '4 h'");
        assertThat(hoursUntilDelivered(event)).isEqualTo(4);
        rows.frontReceipt(b, b, 0, 1, "now() + interval '3 h'", billing);
        assertThat(hoursUntilDelivered(event)).isEqualTo(3);
        rows.receipt(billing, b, b, 0, 1, "now() + interval '2 h'");
        assertThat(hoursUntilDelivered(event)).isEqualTo(2);
    }

    private long hoursUntilDelivered(long seq) {
        Instant deliveredAt = of("billing", seq).deliveredAt();
        assertThat(deliveredAt).isNotNull();
        return Math.round(Duration.between(Instant.now(), deliveredAt).toSeconds() / 3600.0);
    }

    @Test
    void gaugesCountWhatTheFrontHasNotSettledAndTellTheAgeOfTheOldest() {
        rows.event("k");
        String b = rows.snapshot();
        rows.event("k");
        rows.event("k");
        database.execute("UPDATE posthorn.event SET created_at = posthorn.clock() - seq * interval '1 h'");
        assertThat(gauges.of("billing").pending()).isEqualTo(Count.exactly(3));
        frontAt(b, b, 0);
        assertThat(gauges.of("billing").pending()).isEqualTo(Count.exactly(2));
        assertThat(gauges.of("billing").oldestAge()).isBetween(Duration.ofMinutes(179), Duration.ofMinutes(181));
        assertThat(gauges.of("shipping").pending()).isEqualTo(Count.exactly(3));
        assertThat(gauges.of("shipping").oldestAge()).isBetween(Duration.ofMinutes(179), Duration.ofMinutes(181));
        String c = rows.snapshot();
        frontAt(c, c, 0);
        assertThat(gauges.of("billing").pending()).isEqualTo(Count.exactly(0));
        assertThat(gauges.of("billing").oldestAge()).isNull();
    }

    /** One that is far behind is looked at alone. */
    @Test
    void theSameHoldsOfAFrontThatIsFarBehind() {
        Gauges shortSighted = new Gauges(database.dataSource(), SchemaName.DEFAULT, 2);
        for (int i = 0; i < 10; i++) {
            rows.event("k");
        }
        String b = rows.snapshot();
        rows.event("k");
        assertThat(shortSighted.of("billing").pending().value()).isBetween(10L, 12L);
        frontAt(b, b, 0);
        assertThat(shortSighted.of("billing").pending()).isEqualTo(Count.exactly(1));
    }

    @Test
    void aLaneHasMovedWhenItsFrontHas() {
        rows.mark(billing, "moved_at = '2020-01-01Z'");
        rows.front(front, "moved_at = '2021-01-01Z'");
        assertThat(lanes.of(List.of("billing")))
                .extracting(LaneState::movedAt)
                .containsExactly(Instant.parse("2021-01-01T00:00:00Z"));
    }

    @Test
    void whatWasDeliveredIsTheSumOfItsOwnReceiptsAndOfItsPartInThoseOfFronts() {
        rows.receipt(billing, start, start, 0, 100, "now()");
        rows.frontReceipt(start, start, 0, 20, "now()", billing, shipping);
        rows.frontReceipt(start, start, 0, 3, "now()", billing);
        assertThat(statuses.counts("billing").delivered()).isEqualTo(Count.about(123));
        assertThat(statuses.counts("", 9).get("shipping"))
                .extracting(StatusCounts::delivered)
                .isEqualTo(Count.about(20));
    }

    @Test
    void latencyIsThatOfTheNewestEventThatAFrontHasPassedSinceItsReceiptBefore() {
        Instant now = Instant.now();
        rows.event("k");
        String b = rows.snapshot();
        rows.event("k");
        rows.event("k");
        String c = rows.snapshot();
        database.execute("UPDATE posthorn.event SET created_at = " + before(now, 1000));
        rows.frontReceipt(b, b, 0, 1, before(now, 990), billing, shipping);
        rows.frontReceipt(c, c, 0, 3, before(now, 980), billing);
        // Of something else: what it covers was covered before.
        rows.frontReceipt(c, c, 0, 100, before(now, 500), billing);
        Latency latency =
                statuses.averageLatency("billing", Duration.ofHours(1)).orElseThrow();
        assertThat(latency.sample()).isEqualTo(2);
        assertThat(latency.average()).isBetween(Duration.ofMillis(17_400), Duration.ofMillis(17_600));
        Map<String, Latency> both = statuses.averageLatencies(Duration.ofHours(1), 9);
        assertThat(both).containsOnlyKeys("billing", "shipping").containsEntry("billing", latency);
        assertThat(both.get("shipping").average()).isBetween(Duration.ofMillis(9_900), Duration.ofMillis(10_100));
        assertThat(statuses.averageLatencies(Duration.ofHours(1), 1)).containsOnlyKeys("billing");
    }

    /** Where a lane stood when its generation or its subscription ended was no delivery. */
    @Test
    void aReceiptThatCountsNothingIsNotInTheLatency() {
        rows.event("k");
        String b = rows.snapshot();
        rows.receipt(billing, b, b, 0, 0, "now()");
        assertThat(statuses.averageLatency("billing", Duration.ofHours(1))).isEmpty();
        assertThat(statuses.averageLatencies(Duration.ofHours(1), 9)).isEmpty();
    }

    private static String before(Instant now, long seconds) {
        return "timestamptz '" + now.minusSeconds(seconds) + "'";
    }

    /** Should not be; then it is sent again rather than taken for delivered. */
    @Test
    void aLaneWhoseFrontIsLostStandsWhereItGotOn() {
        long first = rows.event("k");
        String b = rows.snapshot();
        frontAt(b, b, 0);
        assertThat(of("billing", first).status()).isEqualTo(DELIVERED);
        database.execute("DELETE FROM posthorn.front");
        assertThat(of("billing", first).status()).isEqualTo(PENDING);
        assertThat(database.value("SELECT string_agg(a::text, ' ') FROM posthorn.mark"))
                .isEqualTo(start + " " + start);
    }

    @Test
    void aFrontIsOneMarkHoweverManyLanesRideAndNoneIfNobodyDoes() {
        assertThat(database.number("SELECT count(*) FROM posthorn.mark")).isEqualTo(2);
        rows.ride(shipping, front);
        assertThat(database.number("SELECT count(*) FROM posthorn.mark")).isOne();
        rows.front(NOTHING, start, 0);
        assertThat(database.number("SELECT count(*) FROM posthorn.mark")).isOne();
    }
}
