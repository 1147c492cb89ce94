package dev.posthorn.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.posthorn.error.PosthornException;
import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.relay.lane.Lane;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Subscriptions that begin, end and change while a relay runs. */
class ServeTest {

    private final Instances instances = new Instances(RecordingSink.oneAtATime());
    private final RecordingSink second = RecordingSink.oneAtATime();

    private static Subscription subscription(String name, RecordingSink sink) {
        return Subscription.to(name, sink).lanes(2).build();
    }

    private static void passes(SteppedRelay relay, int times) {
        for (int i = 0; i < times; i++) {
            relay.pass().run(3);
        }
    }

    @Test
    void aChangeOfSettingsNeitherLosesNorRepeats() {
        SteppedRelay relay = instances.start("a", 2);
        instances.sink.hold();
        List.of("k1", "k2").forEach(instances.database::record);
        relay.run(2);
        assertThat(instances.sink.waiting()).hasSize(2);

        relay.serve(subscription("test", second));
        instances.database.record("k1");
        passes(relay, 3);
        assertThat(second.received()).as("what was sent has no answer yet").isEmpty();
        instances.sink.answerAll();
        passes(relay, 4);
        assertThat(instances.keys()).containsExactlyInAnyOrder("k1", "k2");
        assertThat(second.received())
                .singleElement()
                .satisfies(event -> assertThat(event.event().key()).isEqualTo("k1"));
    }

    @Test
    void whatIsServedNoMoreKeepsItsPlaceAndIsFreeForOthersAtOnce() {
        SteppedRelay relay = instances.start("a", 2);
        instances.database.record("k1");
        relay.run(3);
        relay.serve();
        passes(relay, 2);
        assertThat(relay.lanes()).isEmpty();
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.served"))
                .isZero();
        instances.database.record("k2");

        SteppedRelay other = instances.start("b", 2);
        other.run(3);
        assertThat(instances.owned("b")).isEqualTo(2);
        assertThat(instances.keys()).containsExactly("k1", "k2");
    }

    @Test
    void whatTheDatabaseRefusesAboutOneSubscriptionStopsNoOther() {
        SteppedRelay relay = instances.start("a", 2);
        instances.database.execute("""
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not this one'; END $$;
                CREATE TRIGGER refuse BEFORE INSERT ON posthorn.subscription
                    FOR EACH ROW WHEN (NEW.name = 'refused') EXECUTE FUNCTION refuse();
                """);
        relay.serve(
                subscription("refused", RecordingSink.oneAtATime()),
                subscription("test", instances.sink),
                subscription("next", second));
        for (int i = 0; i < 4; i++) {
            assertThatThrownBy(relay::pass).hasMessageContaining("not this one");
            relay.run(3);
        }
        instances.database.record("k1");
        relay.run(3);
        assertThat(instances.keys()).containsExactly("k1");
        assertThat(second.received()).hasSize(1);
    }

    @Test
    void whatIsNewBegins() {
        SteppedRelay relay = instances.start("a", 2);
        Subscription kept = subscription("test", instances.sink);
        relay.serve(kept);
        passes(relay, 3);
        relay.serve(kept, subscription("new", second));
        passes(relay, 2);
        instances.database.record("k");
        relay.run(3);
        assertThat(instances.keys()).containsExactly("k");
        assertThat(second.receivedSeqs()).hasSize(1);
    }

    @Test
    void aRunningRelayTakesAChangeWithoutWaitingForItsNextPass() {
        try (Relay relay = Relay.builder(instances.database.dataSource()).start()) {
            relay.serve(List.of(Subscription.to("late", second).fromBeginning().build()));
            instances.database.record("k");
            await().atMost(Duration.ofSeconds(60)).until(() -> second.received().size() == 1);
            relay.serve(List.of());
            await().atMost(Duration.ofSeconds(60)).until(() -> relay.lanes().isEmpty());
        }
    }

    @Test
    void whatHasAnotherNameStaysAsItIs() {
        Subscription left = subscription("left", instances.sink);
        Subscription changed = subscription("changed", second);
        try (Relay relay = Relay.builder(instances.database.dataSource())
                .subscribe(left)
                .subscribe(changed)
                .subscribe(subscription("ended", second))
                .start()) {
            Set<Lane> lanes = lanesOf(relay, "left");
            relay.serveInstead(
                    Set.of("changed", "ended", "nobody"),
                    List.of(
                            Subscription.to("changed", second).lanes(3).build(),
                            subscription("begun", RecordingSink.oneAtATime())));
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> lanesOf(relay, "begun").size() == 2
                            && lanesOf(relay, "changed").size() == 3
                            && lanesOf(relay, "ended").isEmpty());
            assertThat(lanesOf(relay, "left")).hasSize(2).isEqualTo(lanes);
            assertThat(names(relay)).containsExactlyInAnyOrder("left", "changed", "begun");
            relay.serve(List.of(left));
            await().atMost(Duration.ofSeconds(60)).until(() -> names(relay).equals(Set.of("left")));
            assertThat(lanesOf(relay, "left")).isEqualTo(lanes);
        }
    }

    private static Set<Lane> lanesOf(Relay relay, String subscription) {
        return relay.liveLanes().stream()
                .filter(lane -> lane.name().startsWith(subscription + "/"))
                .collect(Collectors.toSet());
    }

    private static Set<String> names(Relay relay) {
        return relay.lanes().stream()
                .map(lane -> lane.name().replaceAll("/.*", ""))
                .collect(Collectors.toSet());
    }

    @Test
    void ofManyLanesOnlyThoseAreLookedAfterOfWhichSomethingWasAsked() {
        CountingDataSource counting = new CountingDataSource(instances.database.dataSource());
        try (Relay relay = Relay.builder(counting.dataSource())
                .subscribe(Subscription.to("many", instances.sink).lanes(256).build())
                .start()) {
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> counting.during(() -> LockSupport.parkNanos(1_000_000_000)) < 100);
            int statements = counting.during(() -> {
                for (int i = 0; i < 100; i++) {
                    relay.tend();
                }
                LockSupport.parkNanos(1_000_000_000);
            });
            assertThat(statements).isLessThan(200);
        }
    }

    @Test
    void twoOfOneNameAreRefused() {
        try (Relay relay = Relay.builder(instances.database.dataSource()).start()) {
            assertThatThrownBy(() ->
                            relay.serve(List.of(subscription("test", second), subscription("test", instances.sink))))
                    .isInstanceOf(PosthornException.class)
                    .hasMessageContaining("two subscriptions named 'test'");
        }
    }
}
