package dev.posthorn.relay.lane;

import static dev.posthorn.relay.fixture.Instances.OPS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.relay.Relay;
import dev.posthorn.relay.fixture.DyingDataSource;
import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every event that a lane settles is in a receipt, whatever becomes of the lane. */
class ReceiptTest {

    private static final String END_CONNECTIONS = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
            + " WHERE datname = current_database() AND pid <> pg_backend_pid()";

    private final Instances instances = new Instances(RecordingSink.oneAtATime());

    @Test
    void progressIsReceiptedAtMostOnceASecond() {
        SteppedRelay relay = instances.start("a", 1);
        for (int i = 0; i < 30; i++) {
            record(1);
            relay.run(1);
        }
        relay.run(15);
        assertThat(
                        instances.database.number(
                                "SELECT (SELECT count(*) FROM posthorn.receipt) + (SELECT count(*) FROM posthorn.front_receipt)"))
                .isBetween(3L, 6L);
        assertThat(instances.receipted()).isEqualTo(30);
    }

    /** Found by stopping one hub of two: half of what had been delivered was delivered at no time. */
    @Test
    void aLaneThatLeavesHasItsLastEventsReceipted() {
        SteppedRelay relay = instances.start("a", 2);
        record(10);
        relay.run(3);
        record(10);
        relay.run(3);
        assertThat(instances.keys()).hasSize(20);
        relay.leave();
        assertThat(instances.receipted()).isEqualTo(20);
    }

    @Test
    void aLaneThatIsToldToLeaveWithNothingInHandHasItsLastEventsReceipted() {
        SteppedRelay relay = instances.start("a", 1);
        record(2);
        relay.run(3);
        record(2);
        relay.run(3);
        assertThat(relay.lanes()).allSatisfy(lane -> {
            lane.order(lane.orders().leaving());
            relay.step().step();
            assertThat(lane.state()).isEqualTo(Lane.State.LEFT);
        });
        assertThat(instances.receipted()).isEqualTo(4);
    }

    /** Found by changing the number of lanes under load. */
    @Test
    void changesOfTheNumberOfLanesLoseNoReceipt() {
        SteppedRelay relay = instances.start("a", 1);
        int recorded = 0;
        for (int lanes : new int[] {8, 2, 5, 3}) {
            relay.serve(Subscription.to("test", instances.sink).lanes(lanes).build());
            for (int i = 0; i < 12 || instances.stored().lanes() != lanes; i++) {
                record(7);
                recorded += 7;
                relay.pass().run(2);
            }
        }
        relay.pass().run(20);
        relay.leave();
        assertThat(instances.keys()).hasSize(recorded);
        assertThat(instances.receipted()).isEqualTo(recorded);
    }

    @Test
    void aPausedLaneHasItsLastEventsReceiptedWithinASecond() {
        SteppedRelay relay = instances.start("a", 1);
        record(3);
        relay.run(3);
        record(3);
        relay.run(3);
        instances.subscriptions().pause("test", null, OPS);
        relay.pass().run(12);
        assertThat(instances.receipted()).isEqualTo(6);
    }

    @Test
    void whatWasSettledBeforeTheConnectionWasLostIsReceiptedAfterIt() {
        SteppedRelay relay = instances.start("a", 1);
        record(3);
        relay.run(3);
        record(3);
        relay.run(3);
        instances.database.execute(END_CONNECTIONS);
        relay.run(3);
        record(3);
        instances.clock.advance(Duration.ofSeconds(1));
        relay.run(15);
        assertThat(instances.keys()).hasSize(9);
        assertThat(instances.receipted()).isEqualTo(9);
    }

    /** The move in doubt is one with a receipt, or without, or one that takes the lane on; it was done, or not. */
    @ParameterizedTest
    @EnumSource(DyingDataSource.Death.class)
    void whateverMoveOfTheFrontIsInDoubtNoReceiptIsLostOrWrittenTwice(DyingDataSource.Death death) {
        for (int step = 0; step < 16; step++) {
            Instances some = new Instances(RecordingSink.oneAtATime());
            DyingDataSource dying =
                    new DyingDataSource(some.database.dataSource(), () -> some.database.execute(END_CONNECTIONS));
            SteppedRelay relay = SteppedRelay.of(
                            Relay.builder(dying.get())
                                    .subscribe(Subscription.to("test", some.sink)
                                            .lanes(1)
                                            .build())
                                    .sessionTtl(Instances.TTL),
                            some.clock)
                    .pass();
            for (int i = 0; i < 20; i++) {
                if (i == step) {
                    dying.dieAtSettle(death);
                }
                some.database.record("k" + i);
                relay.run(1);
            }
            relay.run(30);
            assertThat(dying.hasDied()).isTrue();
            assertThat(some.keys()).as("%s at step %d", death, step).hasSize(20);
            assertThat(some.receipted()).as("%s at step %d", death, step).isEqualTo(20);
            relay.leave();
        }
    }

    private void record(int events) {
        IntStream.range(0, events).forEach(i -> instances.database.record("k" + i));
    }
}
