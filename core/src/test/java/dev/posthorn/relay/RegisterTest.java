package dev.posthorn.relay;

import static dev.posthorn.relay.fixture.Instances.OPS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.log.Filter;
import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import org.junit.jupiter.api.Test;

/** Subscriptions that are stored before an instance serves them. */
class RegisterTest {

    private final Instances instances = new Instances(RecordingSink.oneAtATime());
    private final Subscriptions subscriptions = instances.subscriptions();

    @Test
    void whatIsRecordedAfterTheRegistrationIsDelivered() {
        instances.database.record("before");
        subscriptions.register(subscription(2));
        instances.database.record("after");
        instances.start("a", 2).run(3);
        assertThat(instances.keys()).containsExactly("after");
    }

    @Test
    void registeringAgainChangesNothing() {
        subscriptions.register(subscription(2));
        instances.database.record("k");
        subscriptions.register(subscription(2));
        assertThat(instances.stored()).isEqualTo(new Subscriptions.Stored("test", 1, 2, Filter.ALL, false, null, null));
        instances.start("a", 2).run(3);
        assertThat(instances.keys()).containsExactly("k");
    }

    @Test
    void anotherNumberOfLanesIsPendingAtOnce() {
        subscriptions.register(subscription(2));
        subscriptions.register(subscription(3));
        assertThat(instances.stored().wanted()).isEqualTo(new Subscriptions.Wanted(3, Filter.ALL));
        subscriptions.register(subscription(4));
        assertThat(instances.stored().wanted()).isEqualTo(new Subscriptions.Wanted(4, Filter.ALL));
    }

    @Test
    void aRelayOfRegisteredSubscriptionsMakesNoneAndServesThemAsTheyCome() {
        SteppedRelay relay = onlyRegistered().pass().pass();
        assertThat(subscriptions.list()).isEmpty();
        subscriptions.register(subscription(2));
        instances.database.record("k");
        relay.pass().run(3);
        assertThat(instances.keys()).containsExactly("k");
    }

    @Test
    void aRelayOfRegisteredSubscriptionsDoesNotBringADeletedOneBack() {
        subscriptions.register(subscription(1));
        SteppedRelay silent = onlyRegistered().pass();
        instances.clock.advance(Instances.TTL.plusSeconds(1));
        subscriptions.delete("test", null, OPS);
        silent.pass().pass().run(2);
        assertThat(subscriptions.list()).isEmpty();
        silent.serve().pass().pass();
        assertThat(silent.lanes()).isEmpty();
    }

    private SteppedRelay onlyRegistered() {
        return SteppedRelay.of(
                Relay.builder(instances.database.dataSource())
                        .instance("a")
                        .subscribe(subscription(2))
                        .onlyRegistered(),
                instances.clock);
    }

    private Subscription subscription(int lanes) {
        return Subscription.to("test", instances.sink).lanes(lanes).build();
    }
}
