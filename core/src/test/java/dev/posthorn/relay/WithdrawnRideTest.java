package dev.posthorn.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.log.Filter;
import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.relay.lane.Lane;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A lane that gets on again after a change of its generation was withdrawn. */
class WithdrawnRideTest {

    private static final Duration SLOW = Duration.ofSeconds(10);

    private final Instances instances = new Instances(RecordingSink.oneAtATime());

    @Test
    void doesNotGoBackToWhereTheFrontHasReadBefore() {
        Subscription calm = Subscription.to("calm", instances.sink)
                .filter(Filter.types("none"))
                .lanes(1)
                .pollInterval(SLOW, SLOW)
                .build();
        Subscription test = Subscription.to("test", instances.sink).lanes(1).build();
        SteppedRelay relay = SteppedRelay.of(
                        Relay.builder(instances.database.dataSource())
                                .subscribe(calm)
                                .subscribe(test)
                                .instance("a")
                                .sessionTtl(Duration.ofHours(1)),
                        instances.clock)
                .pass();
        stepFor(relay, 300);
        assertThat(relay.lanes()).hasSize(2).allMatch(Lane::isRiding);

        instances.start("wider", 2).leave();
        relay.pass();
        stepFor(relay, 3);
        instances.clock.advance(SLOW);
        relay.step();
        instances.database.record("k");
        relay.pass();
        assertThat(instances.database.value("SELECT max(stop_at::text) FROM posthorn.subscription"))
                .isNotNull();
        stepFor(relay, 3);
        assertThat(instances.keys()).containsExactly("k");

        instances.start("narrow", 1).leave();
        relay.pass();
        stepFor(relay, 300);
        assertThat(instances.stored().generation()).isOne();
        assertThat(instances.keys()).as("sent once").containsExactly("k");
        assertThat(relay.lanes()).allMatch(Lane::isRiding);
    }

    private void stepFor(SteppedRelay relay, int times) {
        for (int i = 0; i < times; i++) {
            instances.clock.advance(Duration.ofMillis(60));
            relay.step();
        }
    }
}
