package dev.posthorn.relay;

import static dev.posthorn.relay.fixture.Instances.OPS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.posthorn.TroubleRows;
import dev.posthorn.log.Rebase;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.status.EventStatuses;
import dev.posthorn.status.Status;
import dev.posthorn.status.SubscriptionStatus;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Lanes that ride, put onto a front by hand: whoever else writes marks leaves them alone, or first takes them off. */
class RiderTest {

    private final Instances instances = new Instances(RecordingSink.oneAtATime());
    private final TroubleRows rows = new TroubleRows(instances.database);

    /** All lanes ride, with everything settled. */
    private UUID rideAtTheEnd() {
        String end = rows.snapshot();
        UUID front = rows.front(end, end, 0);
        instances.database.execute("UPDATE posthorn.lane_mark SET front = '" + front + "'");
        return front;
    }

    private void getOff() {
        instances.database.execute("UPDATE posthorn.lane_mark SET front = NULL");
    }

    private boolean rebase() {
        instances.database.execute("UPDATE posthorn.cluster SET system_identifier = 1");
        return new Rebase(instances.database.dataSource(), SchemaName.DEFAULT).run();
    }

    @Test
    void aSettleOfALaneThatRidesIsRefused() {
        SteppedRelay relay = instances.start("a", 1);
        instances.database.record("k");
        relay.run(3);
        rideAtTheEnd();
        String mark = instances.database.value("SELECT lane_mark::text FROM posthorn.lane_mark");
        instances.database.record("k");
        relay.run(3);
        assertThat(instances.keys()).as("handed over").hasSize(2);
        assertThat(instances.database.value("SELECT lane_mark::text FROM posthorn.lane_mark"))
                .isEqualTo(mark);
    }

    @Test
    void aChangeOfGenerationWaitsForLanesThatRide() {
        SteppedRelay relay = instances.start("a", 1);
        instances.database.record("k");
        relay.run(2);
        instances.start("wider", 2).leave();
        relay.pass().run(3);
        rideAtTheEnd();
        relay.pass();
        assertThat(stopAt()).as("parked, and riding").isNull();
        getOff();
        relay.pass();
        assertThat(stopAt()).isNotNull();

        relay.run(2);
        UUID front = rideAtTheEnd();
        rows.front(front, "a = '" + stopAt() + "', b = '" + stopAt() + "'");
        relay.pass();
        assertThat(instances.stored().generation())
                .as("where it is to stop, and riding")
                .isOne();
        getOff();
        relay.pass();
        assertThat(instances.stored().generation()).isEqualTo(2);
    }

    private String stopAt() {
        return instances.database.value("SELECT stop_at FROM posthorn.subscription");
    }

    /** What it settled when it rode is in receipts that do not keep it. */
    @Test
    void aLaneOfAFormerGenerationStaysForAsLongAsAnyOfItsReceipts() {
        SteppedRelay relay = instances.start("a", 1);
        instances.database.record("k");
        relay.run(2);
        instances.start("wider", 2).leave();
        relay.pass().run(3).pass().run(2);
        instances.database.execute("DELETE FROM posthorn.receipt");
        relay.pass();
        assertThat(instances.stored().generation()).isEqualTo(2);
        assertThat(instances.database.value("SELECT string_agg(n.generation || ' ' || r.count, ', ')"
                        + " FROM posthorn.receipt r JOIN posthorn.lane n ON n.id = r.lane_id"))
                .isEqualTo("1 0");
    }

    @Test
    void aRebaseTakesEveryLaneOffWhereItsFrontStands() {
        SteppedRelay relay = instances.start("a", 2);
        List.of("k1", "k2").forEach(instances.database::record);
        relay.run(3);
        relay.leave();
        List.of("k3", "k4").forEach(instances.database::record);
        UUID front = rideAtTheEnd();
        rows.front(front, "read_seq = 777");
        List.of("k5", "k6").forEach(instances.database::record);

        assertThat(rebase()).isTrue();
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.front"))
                .isZero();
        assertThat(instances.database.number("SELECT count(front) FROM posthorn.lane_mark"))
                .isZero();
        assertThat(instances.database.number("SELECT floor_seq FROM posthorn.cluster"))
                .as("a number that the front has read is never given out again")
                .isEqualTo(777);
        instances.database.record("k7");
        instances.start("b", 2).run(20);
        assertThat(instances.keys()).containsExactlyInAnyOrder("k1", "k2", "k5", "k6", "k7");
    }

    @Test
    void marksThatAreAheadOfTheClusterAreNoticedOnTheirFront() {
        instances.start("a", 1).leave();
        assertThat(new Rebase(instances.database.dataSource(), SchemaName.DEFAULT).run())
                .isFalse();
        rows.front(rideAtTheEnd(), "b = '900000000:900000000:'");
        assertThat(new Rebase(instances.database.dataSource(), SchemaName.DEFAULT).run())
                .isTrue();
    }

    /** Otherwise a new lane would have the receipts of one that is gone. */
    @Test
    void theNumberOfALaneThatAReceiptNamesIsNeverAnothers() {
        instances.start("a", 1).leave();
        String now = rows.snapshot();
        instances.database.execute("INSERT INTO posthorn.front_receipt VALUES (0, '" + now + "', '" + now
                + "', 0, '{3,4711,8}', '{1,1,1}')");
        rebase();
        assertThat(instances.database.number("SELECT nextval(pg_get_serial_sequence('posthorn.lane', 'id'))"))
                .isGreaterThan(4711);
    }

    @Test
    void ofADeletedSubscriptionWhatItsFrontHadSettledIsTold() {
        SteppedRelay relay = instances.start("a", 1);
        relay.leave();
        long first = rows.event("k");
        String past = rows.snapshot();
        UUID front = rideAtTheEnd();
        long second = rows.event("k");
        instances.database.execute("INSERT INTO posthorn.front_receipt"
                + " SELECT 0, '" + past + "', '" + past + "', 0, ARRAY[id], '{1}', posthorn.clock() + interval '1 h'"
                + " FROM posthorn.lane");
        rows.front(front, "moved_at = posthorn.clock() + interval '2 h'");
        instances.database.execute("UPDATE posthorn.event SET created_at = posthorn.clock()");
        instances.subscriptions().delete("test", null, OPS);
        assertThat(told(first)).singleElement().satisfies(status -> {
            assertThat(status.status()).isEqualTo(Status.DELIVERED);
            assertThat(status.deletedAt()).isNotNull();
            assertThat(status.deliveredAt())
                    .isCloseTo(instances.clock.instant().plusSeconds(3600), within(1, ChronoUnit.SECONDS));
        });
        assertThat(told(second)).isEmpty();
        instances.database.execute("DELETE FROM posthorn.front_receipt");
        assertThat(told(first))
                .singleElement()
                .satisfies(status -> assertThat(status.deliveredAt())
                        .as("by the last, which is its own")
                        .isCloseTo(instances.clock.instant().plusSeconds(7200), within(1, ChronoUnit.SECONDS)));
    }

    private List<SubscriptionStatus> told(long seq) {
        return new EventStatuses(instances.database.dataSource(), SchemaName.DEFAULT)
                .of(rows.id(seq))
                .orElseThrow()
                .subscriptions();
    }
}
