package dev.posthorn.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.log.SchemaName;
import dev.posthorn.log.Session;
import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.relay.lane.Lane;
import dev.posthorn.relay.postgres.PostgresLaneStore;
import dev.posthorn.relay.postgres.Standings;
import dev.posthorn.relay.store.Changes;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.LaneStore;
import dev.posthorn.relay.store.Settled;
import dev.posthorn.relay.store.Settlement;
import dev.posthorn.relay.store.StoredLane;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where lanes stand is read for many at once, and no lane begins from what has become untrue. */
class StandingsTest {

    /** At the tail, on the connection of the lanes. */
    private long reads;

    private final Instances instances = new Instances(RecordingSink.oneAtATime());
    private final CountingDataSource counting = new CountingDataSource(instances.database.dataSource());
    private final Session session = new Session(counting.dataSource(), SchemaName.DEFAULT);
    private final Standings standings = new Standings(session, instances.clock, () -> reads);

    @AfterEach
    void close() {
        session.close();
    }

    @Test
    void aThousandLanesBeginWithAHandfulOfStatements() {
        Relay.Builder relay =
                Relay.builder(counting.dataSource()).instance("many").sessionTtl(Instances.TTL);
        IntStream.range(0, 250)
                .mapToObj(i -> Subscription.to("s" + i, instances.sink).lanes(4).build())
                .forEach(relay::subscribe);
        SteppedRelay stepped = SteppedRelay.of(relay, instances.clock);
        for (int pass = 0; pass < 100 && stepped.lanes().size() < 1000; pass++) {
            instances.clock.advance(Duration.ofSeconds(1));
            stepped.pass();
        }
        assertThat(stepped.lanes()).hasSize(1000);
        assertThat(counting.during(stepped::step)).as("some for each hundred").isBetween(3, 30);
        stepped.leave();
    }

    @Test
    void whatWasReadAheadIsTakenOnce() {
        Beginning lane = beginning();
        standings.prefetch(List.of(lane.grant));
        lane.change();
        assertThat(counting.during(() -> assertThat(lane.readSeq()).isZero())).isZero();
        assertThat(counting.during(() -> assertThat(lane.readSeq()).isEqualTo(7)))
                .isOne();
    }

    @Test
    void whatWasReadAheadIsVoidOnAnotherConnection() {
        Beginning lane = beginning();
        standings.prefetch(List.of(lane.grant));
        lane.change();
        session.close();
        assertThat(lane.readSeq()).isEqualTo(7);
    }

    @Test
    void whatWasReadAheadIsVoidAfterASettle() {
        Beginning lane = beginning();
        StoredLane stored = Objects.requireNonNull(lane.store.begin());
        standings.prefetch(List.of(lane.grant));
        Settlement settlement =
                new Settlement(stored.turn(), 1, stored.mark(), stored.mark(), 5, null, false, 0, null, new Changes());
        assertThat(lane.store.settle(settlement)).isEqualTo(Settled.DONE);
        assertThat(lane.store.begin()).extracting(StoredLane::turn).isEqualTo(1L);
    }

    @Test
    void whatWasReadAheadForAFormerOwnerIsNotGivenToTheNext() {
        Beginning former = beginning();
        standings.prefetch(List.of(former.grant));
        instances.clock.advance(Instances.TTL.plusSeconds(1));
        SteppedRelay heir = instances.start("heir", 1);
        Beginning next = new Beginning(heir.lanes().get(0));
        next.change();
        assertThat(next.readSeq()).isEqualTo(7);
        standings.prefetch(List.of(former.grant));
        assertThat(former.store.begin()).isNull();
    }

    /** Trust counted from the moment of beginning would outlast the lease. */
    @Test
    void aLeaseThatWasReadAheadHasGrownOlder() {
        Beginning lane = beginning();
        standings.prefetch(List.of(lane.grant));
        instances.clock.advance(Duration.ofSeconds(1));
        lane.change();
        StoredLane stored = Objects.requireNonNull(lane.store.begin());
        assertThat(stored.readSeq()).as("read ahead").isZero();
        assertThat(stored.leased()).isEqualTo(Instances.TTL.minusSeconds(1));
    }

    /** Snapshots that were taken since are later than the mark, and the lane may read on to them. */
    @Test
    void whatWasReadAheadSaysAfterWhichRead() {
        Beginning lane = beginning();
        reads = 7;
        standings.prefetch(List.of(lane.grant));
        reads = 9;
        assertThat(lane.store.begin()).extracting(StoredLane::reads).isEqualTo(7L);
        assertThat(lane.store.begin()).extracting(StoredLane::reads).isNull();
    }

    @Test
    void whatWasReadAheadLongAgoIsVoid() {
        Beginning lane = beginning();
        standings.prefetch(List.of(lane.grant));
        lane.change();
        instances.clock.advance(Instances.TTL.dividedBy(8));
        assertThat(lane.readSeq()).isEqualTo(7);
    }

    private Beginning beginning() {
        Beginning lane = new Beginning(instances.start("a", 1).lanes().get(0));
        Objects.requireNonNull(lane.store.begin(), "what a connection costs is paid");
        return lane;
    }

    /** A lane's store beside the one that the lane has. */
    private final class Beginning {
        private final LaneGrant grant;
        private final LaneStore store;

        Beginning(Lane lane) {
            this.grant = lane.grant();
            this.store = new PostgresLaneStore(session.bound(), grant, "a", standings);
        }

        /** So that it shows whether it was read before or after. */
        void change() {
            instances.database.execute("UPDATE posthorn.lane_mark SET read_seq = 7");
        }

        long readSeq() {
            return Objects.requireNonNull(store.begin()).readSeq();
        }
    }
}
