package dev.posthorn.relay;

import static dev.posthorn.relay.fixture.Instances.OPS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.Event;
import dev.posthorn.log.Filter;
import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Somebody who changes a filter or a number of lanes may change their mind before it has taken effect. */
class WishTest {

    private static final Filter OLD = Filter.types("old.*");
    private static final Filter NEW = Filter.types("new.*");
    private static final Filter NEWER = Filter.types("newer.*");

    @Test
    void aWishThatHasNotBegunIsReplacedByTheNextOne() throws Exception {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay relay = start(instances, "one", OLD);
        start(instances, "two", NEW).leave();
        instances.start("three", wants -> wants.lanes(5).filter(NEWER)).leave();
        assertThat(instances.stored().wanted()).isEqualTo(new Subscriptions.Wanted(5, NEWER));
        changeOver(relay);
        assertThat(instances.stored()).isEqualTo(new Subscriptions.Stored("test", 2, 5, NEWER, false, null, null));
    }

    @Test
    void aWishIsReplacedEvenWhenAllLanesHaveStoppedForIt() {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay relay = start(instances, "one", OLD);
        wish(instances, wants -> wants.filter(NEW));
        stopFor(instances, relay);
        record(instances, "between");
        wish(instances, wants -> wants.filter(NEWER));
        changeOver(relay);
        assertThat(instances.stored()).isEqualTo(new Subscriptions.Stored("test", 2, 2, NEWER, false, null, null));
        assertThat(types(instances)).containsOnly("newer.between");
    }

    @Test
    void aWishIsWithdrawnByWishingForWhatIsThere() {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay relay = start(instances, "one", OLD);
        wish(instances, wants -> wants.filter(NEW));
        relay.pass().run(1);
        wish(instances, wants -> wants.filter(OLD));
        requireUnchanged(instances, relay);
    }

    /** The lanes stand still at a common snapshot and have to go on from there. */
    @Test
    void aWishIsWithdrawnEvenWhenAllLanesHaveStoppedForIt() {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay relay = start(instances, "one", OLD);
        wish(instances, wants -> wants.filter(NEW));
        stopFor(instances, relay);
        wish(instances, wants -> wants.filter(OLD));
        requireUnchanged(instances, relay);
    }

    @Test
    void anotherNumberOfLanesIsWithdrawnAndReplacedLikewise() {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay relay = start(instances, "one", OLD);
        wish(instances, wants -> wants.filter(OLD).lanes(5));
        wish(instances, wants -> wants.filter(OLD).lanes(3));
        assertThat(instances.stored().wanted()).isEqualTo(new Subscriptions.Wanted(3, OLD));
        wish(instances, wants -> wants.filter(OLD).lanes(2));
        requireUnchanged(instances, relay);
    }

    @Test
    void whatWasChangedAndChangedBackWhilePausedHasNotChanged() {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay relay = start(instances, "one", OLD);
        instances.subscriptions().pause("test", null, OPS);
        wish(instances, wants -> wants.filter(NEW));
        relay.pass().run(2);
        assertThat(instances.stored().wanted()).isEqualTo(new Subscriptions.Wanted(2, NEW));
        wish(instances, wants -> wants.filter(OLD));
        record(instances, "meanwhile");
        relay.pass().run(2);
        instances.subscriptions().resume("test", null, OPS);
        changeOver(relay);
        assertThat(instances.stored()).isEqualTo(new Subscriptions.Stored("test", 1, 2, OLD, false, null, null));
        assertThat(types(instances)).hasSize(10).containsOnly("old.meanwhile");
    }

    /**
     * A lane stood still for a change and changed hands; its heir reads on, because the change was withdrawn. It has read
     * past any snapshot that is taken before it knows of the next change.
     */
    @Test
    void aLaneThatStoodStillForAnotherChangeIsWaitedFor() throws Exception {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay relay = start(instances, "one", OLD);
        wish(instances, wants -> wants.filter(NEW));
        relay.pass().run(2).close();
        wish(instances, wants -> wants.filter(OLD));
        instances.clock.advance(Instances.TTL.plusSeconds(1));
        SteppedRelay heir = start(instances, "heir", OLD);
        heir.run(2);
        wish(instances, wants -> wants.filter(NEW));
        SteppedRelay other = start(instances, "other", NEW);
        record(instances, "between");
        heir.run(2);
        changeOver(heir, other);
        record(instances, "after");
        changeOver(heir, other);
        assertThat(types(instances)).hasSize(20).containsOnly("old.between", "new.after");
        assertThat(instances.sink.receivedSeqs()).doesNotHaveDuplicates();
    }

    /** It has read the document before the last one, was held up, and asks only now. */
    @Test
    void anOlderRevisionOfADocumentDoesNotUndoANewerOne() throws Exception {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay first = instances.start("first", revision(1, OLD));
        SteppedRelay newest = instances.start("newest", revision(3, NEW));
        SteppedRelay late = instances.start("late", revision(2, NEWER));
        assertThat(instances.stored().wanted()).isEqualTo(new Subscriptions.Wanted(2, NEW));
        changeOver(first, newest, late);
        SteppedRelay later = instances.start("later", revision(2, NEWER));
        SteppedRelay without = start(instances, "without", OLD);
        changeOver(first, newest, late, later, without);
        assertThat(instances.stored()).isEqualTo(new Subscriptions.Stored("test", 2, 2, NEW, false, null, null));
    }

    @Test
    void aWishThatTheDatabaseHasForgottenIsAskedForAgain() {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay relay = instances.start("one", revision(1, OLD));
        SteppedRelay newest = instances.start("newest", revision(2, NEW));
        instances.database.execute("DELETE FROM posthorn.generation WHERE number = 2");
        instances.database.execute("UPDATE posthorn.subscription SET revision = 1");
        changeOver(relay, newest);
        assertThat(instances.stored()).isEqualTo(new Subscriptions.Stored("test", 2, 2, NEW, false, null, null));
    }

    /** As when a deployment is rolled back half way: nobody asks for ever. */
    @Test
    void ofTwoInstancesWithDifferentFiltersTheLastToStartDecides() {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay one = start(instances, "one", OLD);
        SteppedRelay other = start(instances, "other", NEW);
        SteppedRelay again = start(instances, "again", OLD);
        for (int i = 0; i < 3; i++) {
            changeOver(one, other, again);
        }
        assertThat(instances.stored()).isEqualTo(new Subscriptions.Stored("test", 1, 2, OLD, false, null, null));
    }

    /** It goes on as if nobody had ever asked for anything. */
    private static void requireUnchanged(Instances instances, SteppedRelay relay) {
        assertThat(instances.stored()).isEqualTo(new Subscriptions.Stored("test", 1, 2, OLD, false, null, null));
        record(instances, "after");
        changeOver(relay);
        assertThat(instances.stored()).isEqualTo(new Subscriptions.Stored("test", 1, 2, OLD, false, null, null));
        assertThat(types(instances)).hasSize(10).containsOnly("old.after");
    }

    /** Up to where the next pass would begin the generation that is wanted. */
    private static void stopFor(Instances instances, SteppedRelay relay) {
        relay.pass().run(2).pass().run(2);
        assertThat(instances.database.value(
                        "SELECT bool_and(m.a::text = s.stop_at::text AND m.b::text = s.stop_at::text)"
                                + " FROM posthorn.lane_mark m, posthorn.subscription s"))
                .isEqualTo("t");
    }

    private static void wish(Instances instances, UnaryOperator<Subscription.Builder> settings) {
        instances
                .subscriptions()
                .register(settings.apply(Subscription.to("test", instances.sink).lanes(2))
                        .build());
    }

    private static UnaryOperator<Subscription.Builder> revision(long revision, Filter filter) {
        return settings -> settings.lanes(2).filter(filter).revision(revision);
    }

    private static SteppedRelay start(Instances instances, String instance, Filter filter) {
        return instances.start(instance, subscription -> subscription.lanes(2).filter(filter));
    }

    private static void changeOver(SteppedRelay... relays) {
        for (int i = 0; i < 6; i++) {
            for (SteppedRelay relay : relays) {
                relay.pass().run(2);
            }
        }
    }

    /** Ten of every type. */
    private static void record(Instances instances, String what) {
        IntStream.range(0, 10).forEach(i -> {
            for (String type : List.of("old.", "new.", "newer.")) {
                instances.database.record(Event.builder()
                        .source("test")
                        .type(type + what)
                        .key("k" + i)
                        .json("{}")
                        .build());
            }
        });
    }

    private static List<String> types(Instances instances) {
        return instances.sink.received().stream().map(e -> e.event().type()).toList();
    }
}
