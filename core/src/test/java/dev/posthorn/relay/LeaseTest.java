package dev.posthorn.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.error.PosthornException;
import dev.posthorn.log.SchemaName;
import dev.posthorn.log.Session;
import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.relay.lane.Lane;
import dev.posthorn.relay.postgres.PostgresLeaseStore;
import dev.posthorn.relay.store.Lease;
import dev.posthorn.relay.store.SessionTrust;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SettableClock;
import dev.posthorn.testing.SteppedRelay;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How instances share lanes and what keeps a stale owner from doing harm. */
class LeaseTest {

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStaleOwnerSettlesNothing(boolean riding) throws Exception {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay stale = instances.start("stale", 1);
        if (!riding) {
            instances.keepApart();
        }
        instances.sink.hold();
        instances.database.record("x");
        stale.run(1);
        instances.clock.advance(Instances.TTL.plusSeconds(1));
        SteppedRelay owner = instances.start("owner", 1);
        String mark = instances.database.value("SELECT lane_mark::text FROM posthorn.lane_mark");
        instances.sink.answerAll();
        stale.run(3);
        assertThat(instances.database.value("SELECT lane_mark::text FROM posthorn.lane_mark"))
                .isEqualTo(mark);
        assertThat(stale.lanes().get(0).state()).isEqualTo(Lane.State.LOST);
        owner.run(3);
        assertThat(instances.keys()).containsExactly("x", "x");
    }

    /** Or the clock of the stand-by that took over is behind. */
    @Test
    void aClockThatIsSetBackKeepsNoLaneFromBeingTakenOverForLong() {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        instances.start("dead", 2);
        instances.database.execute("UPDATE posthorn.session SET expires_at = expires_at + interval '1 hour'");
        SteppedRelay heir = instances.start("heir", 2);
        instances.database.record("x");
        instances.clock.advance(Instances.TTL.multipliedBy(10).plusSeconds(1));
        heir.pass().pass().run(3);
        assertThat(instances.owned("heir")).isEqualTo(2);
        assertThat(instances.keys()).containsExactly("x");
    }

    /** Found by freezing processes: the heir's lease keeper waited for the mark, and lost its own lanes over it. */
    @Test
    void whoStandsStillInTheMiddleOfASettleKeepsNobodyWaiting() throws Exception {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        instances.start("frozen", 2);
        instances.clock.advance(Instances.TTL.plusSeconds(1));
        try (Connection settle = instances.database.dataSource().getConnection();
                Statement statement = settle.createStatement()) {
            settle.setAutoCommit(false);
            statement.execute("UPDATE posthorn.lane_mark SET turn = turn"
                    + " WHERE lane_id = (SELECT min(lane_id) FROM posthorn.lane_mark)");
            SteppedRelay heir = CompletableFuture.supplyAsync(() -> instances.start("heir", 2))
                    .get(60, TimeUnit.SECONDS);
            assertThat(instances.owned("heir")).isOne();
            settle.rollback();
            heir.pass();
            assertThat(instances.owned("heir")).isEqualTo(2);
        }
    }

    @Test
    void trustCountsFromTheStartOfTheRenewal() throws Exception {
        SettableClock clock = SettableClock.at(Instant.EPOCH);
        SessionTrust session = new SessionTrust(UUID.randomUUID(), Duration.ofSeconds(30), clock.nanos(), clock);
        Lease lease = new Lease(1, 1, session);
        long started = clock.nanos();
        clock.advance(Duration.ofSeconds(20));
        session.renewed(started);
        assertThat(Duration.ofNanos(lease.trustNanos())).isLessThanOrEqualTo(Duration.ofSeconds(9));
    }

    @Test
    void aNewInstanceGetsItsShareByAGracefulHandOver() throws Exception {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay first = instances.start("first", 4);
        IntStream.range(0, 40).forEach(i -> instances.database.record("k" + i));
        first.run(3);
        SteppedRelay second = instances.start("second", 4);
        for (int i = 0; i < 4; i++) {
            first.pass().run(2);
            second.pass().run(2);
        }
        assertThat(instances.owned("second")).isEqualTo(2);
        assertThat(instances.owned("first")).isEqualTo(2);
        IntStream.range(0, 40).forEach(i -> instances.database.record("k" + i));
        first.run(3);
        second.run(3);
        assertThat(instances.sink.receivedSeqs())
                .as("no event twice")
                .hasSize(80)
                .doesNotHaveDuplicates();
    }

    @Test
    void lanesThatDoNotDivideEvenlyAreSharedAllTheSame() {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay a = instances.start("a", 4);
        SteppedRelay b = instances.start("b", 4);
        SteppedRelay c = instances.start("c", 4);
        for (int i = 0; i < 5; i++) {
            a.pass().run(1);
            b.pass().run(1);
            c.pass().run(1);
        }
        assertThat(IntStream.of((int) instances.owned("a"), (int) instances.owned("b"), (int) instances.owned("c"))
                        .sorted())
                .containsExactly(1, 1, 2);
    }

    @Test
    void theLanesOfACrashedInstanceAreTakenOverAfterTheirLease() {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay crashed = instances.start("crashed", 4);
        crashed.run(1);
        crashed.close();
        SteppedRelay heir = instances.start("heir", 4);
        assertThat(heir.lanes()).isEmpty();
        instances.clock.advance(Instances.TTL.plusSeconds(1));
        heir.pass();
        assertThat(heir.lanes()).hasSize(4);
    }

    @Test
    void theLanesOfAnInstanceThatIsKnownToBeDeadAreTakenAtOnceAndByForce() {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay dead = instances.start("dead", 2);
        SteppedRelay other = instances.start("other", 2);
        dead.pass().run(2).pass();
        other.pass().run(2);
        dead.close();
        try (Session session = new Session(instances.database.dataSource(), SchemaName.DEFAULT)) {
            new PostgresLeaseStore(session, "heir").endSessionsOf("dead");
        }
        SteppedRelay heir = instances.start("heir", 2);
        assertThat(heir.lanes()).hasSize(1);
        assertThat(instances.owned("other")).as("which lives").isOne();
        assertThat(instances.database.number("SELECT sum(takeovers) FROM posthorn.lane_mark"))
                .as("by force, so that an event that kills is known")
                .isOne();
    }

    @Test
    void aCleanStopFreesTheLanesAtOnceAndLeavesNothingInDoubt() {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay leaving = instances.start("leaving", 4);
        IntStream.range(0, 20).forEach(i -> instances.database.record("k" + i));
        leaving.run(1);
        leaving.leave();
        SteppedRelay next = instances.start("next", 4);
        assertThat(next.lanes()).hasSize(4);
        next.run(3);
        assertThat(instances.sink.receivedSeqs()).hasSize(20).doesNotHaveDuplicates();
    }

    @Test
    void anOutageLongerThanTheLeaseIsSurvivedIfNobodyElseTookTheLane() {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay relay = instances.start("a", 1);
        instances.clock.advance(Instances.TTL.multipliedBy(3));
        instances.database.record("x");
        relay.run(1);
        assertThat(instances.keys()).isEmpty();
        // What it had read is in nobody's hands once it has heard that it is lost.
        relay.pass().run(1);
        relay.pass().run(2);
        assertThat(instances.keys()).containsExactly("x");
    }

    @Test
    void aSubscriptionWhoseSendsCouldOutliveTheSessionIsRefused() {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        Subscription slow = Subscription.to("slow", instances.sink)
                .timeout(Duration.ofSeconds(10))
                .build();
        Relay.Builder relay = Relay.builder(instances.database.dataSource()).sessionTtl(Duration.ofSeconds(20));
        try (Relay running = relay.start()) {
            assertThatThrownBy(() -> running.serve(List.of(slow)))
                    .isInstanceOf(PosthornException.class)
                    .hasMessageContaining("'slow'")
                    .hasMessageContaining("timeout is PT10S")
                    .hasMessageContaining("session-ttl")
                    .hasMessageContaining("PT21S");
        }
        assertThatThrownBy(() -> relay.subscribe(slow).start())
                .isInstanceOf(PosthornException.class)
                .hasMessageContaining("session-ttl");
    }
}
