package dev.posthorn.relay;

import static dev.posthorn.relay.fixture.Instances.OPS;
import static dev.posthorn.relay.fixture.RetentionDatabase.WEEK;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.event.Event;
import dev.posthorn.log.Filter;
import dev.posthorn.log.Rebase;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.relay.fixture.RetentionDatabase;
import dev.posthorn.sink.Outcome;
import dev.posthorn.status.EventStatuses;
import dev.posthorn.status.Gauges;
import dev.posthorn.status.Lanes;
import dev.posthorn.status.SubscriptionStatus;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is left of a subscription that was deleted, and for how long. */
class RemovalTest {

    private final Instances instances = new Instances(RecordingSink.oneAtATime());

    @Test
    void whatItHadDeliveredIsStillToldAndNothingElse() {
        instances.sink.answering(event -> switch (String.valueOf(event.event().key())) {
            case "bad" -> new Outcome.Reject("no");
            case "busy" -> new Outcome.Retry("later");
            default -> Outcome.DELIVERED;
        });
        SteppedRelay relay = instances.start("a", 2);
        UUID delivered = record("good");
        UUID rejected = record("bad");
        UUID waiting = record("busy");
        UUID held = record("busy");
        relay.run(5);
        relay.leave();
        UUID unread = record("good");
        assertThat(List.of(told(rejected), told(waiting), told(held), told(unread)))
                .containsExactly("test FAILED", "test PENDING", "test HELD", "test PENDING");

        delete();
        UUID later = record("good");
        assertThat(told(delivered)).isEqualTo("test DELIVERED deleted");
        assertThat(List.of(told(rejected), told(waiting), told(held), told(unread), told(later)))
                .containsOnly("");
        SubscriptionStatus status = statuses(delivered).get(0);
        assertThat(status.deliveredAt()).isNotNull();
        assertThat(status.deletedAt()).isEqualTo(instances.clock.instant());
    }

    @Test
    void ofOneThatHadFailedBeforeTheTimeIsStillExact() {
        instances.sink.answering(event -> new Outcome.Retry("later"));
        SteppedRelay relay = instances.start("a", 1);
        UUID late = record("k");
        relay.run(3);
        instances.sink.answering(event -> Outcome.DELIVERED);
        instances.clock.advance(Duration.ofMinutes(1));
        relay.pass().run(5);
        relay.leave();
        SubscriptionStatus before = statuses(late).get(0);
        assertThat(before.attempts()).isEqualTo(2);
        delete();
        SubscriptionStatus after = statuses(late).get(0);
        assertThat(after.attempts()).isEqualTo(2);
        assertThat(after.deliveredAt()).isEqualTo(before.deliveredAt());
    }

    /** Its mark is further than its last receipt, of which there is one a second at most. */
    @Test
    void whatAnInstanceHadSettledThatDiedIsToldToo() {
        SteppedRelay relay = instances.start("a", 1);
        UUID first = record("k");
        relay.run(3);
        UUID second = record("k");
        relay.run(3);
        instances.clock.advance(Instances.TTL.plusSeconds(1));
        assertThat(told(second)).isEqualTo("test DELIVERED");
        delete();
        assertThat(List.of(told(first), told(second))).containsOnly("test DELIVERED deleted");
    }

    @Test
    void ofOneMadeAgainUnderItsNameBothAreTold() {
        SteppedRelay relay = instances.start("a", 1);
        UUID both = record("k");
        relay.run(3);
        relay.leave();
        delete();
        UUID between = record("k");
        instances.clock.advance(Duration.ofMinutes(1));
        SteppedRelay again = instances.start("b", Subscription.Builder::fromBeginning);
        again.run(5);
        assertThat(told(both)).isEqualTo("test DELIVERED deleted, test DELIVERED");
        assertThat(told(between)).isEqualTo("test DELIVERED");
        again.leave();
        delete();
        assertThat(told(both)).isEqualTo("test DELIVERED deleted, test DELIVERED deleted");
        assertThat(told(between)).isEqualTo("test DELIVERED deleted");
    }

    @Test
    void theFilterThatWasInForceCounts() {
        SteppedRelay narrow = instances.start("a", s -> s.lanes(1).filter(Filter.types("wanted")));
        UUID unwanted = recordOf("unwanted");
        UUID wanted = recordOf("wanted");
        narrow.run(3);
        SteppedRelay wide = instances.start("b", s -> s.lanes(2));
        for (int i = 0; i < 6; i++) {
            narrow.pass().run(2);
            wide.pass().run(2);
        }
        UUID now = recordOf("unwanted");
        narrow.pass().run(3);
        wide.pass().run(3);
        narrow.leave();
        wide.leave();
        delete();
        assertThat(List.of(told(wanted), told(now))).containsOnly("test DELIVERED deleted");
        assertThat(told(unwanted)).isEmpty();
    }

    @Test
    void nobodyElseSeesIt() {
        SteppedRelay relay = instances.start("a", 2);
        record("k");
        relay.run(3);
        relay.leave();
        delete();
        var dataSource = instances.database.dataSource();
        assertThat(instances.subscriptions().list()).isEmpty();
        assertThat(new Gauges(dataSource, SchemaName.DEFAULT).all()).isEmpty();
        assertThat(new Lanes(dataSource, SchemaName.DEFAULT).all()).isEmpty();
        for (String table : Set.of("lane_mark", "lane_owner", "lane_gauge", "lane_drain", "delivery", "served")) {
            assertThat(count(table)).as(table).isZero();
        }
    }

    /** After a move without its sequences, numbers begin anew. */
    @Test
    void itsNumberIsNeverAnothers() {
        SteppedRelay relay = instances.start("a", 1);
        UUID event = record("k");
        relay.run(3);
        relay.leave();
        delete();
        instances.database.execute("ALTER SEQUENCE posthorn.subscription_id_seq RESTART");
        instances.database.execute("UPDATE posthorn.cluster SET system_identifier = 1");
        assertThat(new Rebase(instances.database.dataSource(), SchemaName.DEFAULT).run())
                .isTrue();
        instances.start("b", 1).leave();
        assertThat(told(event)).isEqualTo("test DELIVERED deleted");
    }

    /** A row of a replay of history is of an event that was delivered before. */
    @Test
    void whatWasBeingReplayedFromTheLogHadBeenDelivered() {
        SteppedRelay relay = instances.start("a", 1);
        UUID event = record("good");
        relay.run(5);
        relay.leave();
        instances.database.execute("INSERT INTO posthorn.delivery (lane_id, seq, event_id, state, due_at, replay_id)"
                + " SELECT (SELECT min(id) FROM posthorn.lane), seq, id, 'WAITING', posthorn.clock(), 7"
                + " FROM posthorn.event");
        delete();
        assertThat(told(event)).isEqualTo("test DELIVERED deleted");
    }

    @Test
    void oneThatDeliveredNothingLeavesNothing() {
        instances.start("a", 2).leave();
        delete();
        for (String table : Set.of("deleted_subscription", "lane", "generation", "receipt")) {
            assertThat(count(table)).as(table).isZero();
        }
    }

    @Test
    void itHoldsNothingAndGoesWithTheLastEventThatItMayHaveDelivered() {
        RetentionDatabase log = new RetentionDatabase();
        RecordingSink sink = RecordingSink.oneAtATime()
                .answering(event -> event.seq() == 43 ? new Outcome.Reject("no") : Outcome.DELIVERED);
        SteppedRelay relay = SteppedRelay.of(
                        Relay.builder(log.database.dataSource())
                                .subscribe(Subscription.to("gone", sink)
                                        .lanes(1)
                                        .fromBeginning()
                                        .build()),
                        log.clock)
                .pass();
        IntStream.range(0, 100).forEach(i -> log.record(String.valueOf(i)));
        log.partitions.keep();
        IntStream.range(0, 50).forEach(i -> log.record(String.valueOf(i)));
        relay.run(20);
        relay.leave();
        new Subscriptions(log.database.dataSource(), SchemaName.DEFAULT).delete("gone", null, OPS);
        assertThat(log.count("undelivered")).isOne();
        assertThat(toldAsDeleted(log)).isEqualTo(149);
        log.keeper().pass();
        log.awaitThatAllHaveEnded();
        log.clock.advance(WEEK);
        assertThat(log.keeper().pass().dropped()).hasSize(1);
        assertThat(log.count("deleted_subscription"))
                .as("of 101 to 150 it has to tell")
                .isOne();
        assertThat(toldAsDeleted(log)).isEqualTo(50);

        log.sequenceAt(200);
        log.partitions.keep();
        log.keeper().pass();
        log.awaitThatAllHaveEnded();
        log.clock.advance(WEEK);
        assertThat(log.keeper().pass().dropped()).hasSize(1);
        for (String table : Set.of("deleted_subscription", "undelivered", "lane", "generation", "receipt", "attempt")) {
            assertThat(log.count(table)).as(table).isZero();
        }
    }

    private static long toldAsDeleted(RetentionDatabase log) {
        return log.database.number("SELECT count(*) FROM posthorn.event_status WHERE deleted_at IS NOT NULL");
    }

    private long count(String table) {
        return instances.database.number("SELECT count(*) FROM posthorn." + table);
    }

    private void delete() {
        instances.subscriptions().delete("test", null, OPS);
    }

    private UUID record(String key) {
        return record(
                Event.builder().source("test").type("t").key(key).json("{}").build());
    }

    private UUID recordOf(String type) {
        return record(
                Event.builder().source("test").type(type).key("k").json("{}").build());
    }

    private UUID record(Event event) {
        instances.database.record(event);
        return event.id();
    }

    private List<SubscriptionStatus> statuses(UUID event) {
        return new EventStatuses(instances.database.dataSource(), SchemaName.DEFAULT)
                .of(event)
                .orElseThrow()
                .subscriptions();
    }

    private String told(UUID event) {
        return String.join(
                ", ",
                statuses(event).stream()
                        .map(each -> each.subscription() + " " + each.status()
                                + (each.deletedAt() == null ? "" : " deleted"))
                        .toList());
    }
}
