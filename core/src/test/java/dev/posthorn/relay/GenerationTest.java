package dev.posthorn.relay;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.Outbox;
import dev.posthorn.event.Event;
import dev.posthorn.log.Filter;
import dev.posthorn.log.LaneScope;
import dev.posthorn.log.Mark;
import dev.posthorn.log.Rebase;
import dev.posthorn.log.SchemaName;
import dev.posthorn.log.Session;
import dev.posthorn.log.Snapshot;
import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.relay.lane.Lane;
import dev.posthorn.relay.postgres.PostgresLaneStore;
import dev.posthorn.relay.postgres.PostgresLeaseStore;
import dev.posthorn.relay.store.Changes;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.LeaseStore;
import dev.posthorn.relay.store.Settled;
import dev.posthorn.relay.store.Settlement;
import dev.posthorn.subscription.RelayListener;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A filter takes effect at one snapshot, like a number of lanes, and what waits goes along to the new lanes. */
class GenerationTest {

    private static final Filter OLD = Filter.types("old.*");
    private static final Filter NEW = Filter.types("new.*");

    @Test
    void anotherFilterTakesEffectAtOneSnapshotForAllLanes() throws Exception {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay before = start(instances, "before", 3, OLD);
        record(instances, 10);
        before.run(2);
        try (Connection straggler = instances.database.transaction()) {
            Outbox.create().record(straggler, List.of(event("old.straggler", "s"), event("new.straggler", "s")));
            SteppedRelay after = start(instances, "after", 3, NEW);
            for (int i = 0; i < 12; i++) {
                record(instances, 10);
                before.pass();
                record(instances, 10);
                before.run(2);
                after.pass().run(2);
            }
            straggler.commit();
            before.run(20);
            after.run(20);
        }
        assertThat(instances.stored()).isEqualTo(new Subscriptions.Stored("test", 2, 3, NEW, false, null, null));
        assertThat(instances.sink.receivedSeqs()).containsExactlyInAnyOrderElementsOf(wanted(instances));
        assertThat(types(instances)).contains("new.straggler").doesNotContain("old.straggler");
    }

    @Test
    void theStoredFilterCountsAndNotThatOfAnInstanceWhichStartedEarlier() throws Exception {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay earlier = start(instances, "earlier", 2, OLD);
        SteppedRelay last = start(instances, "last", 2, NEW);
        changeOver(earlier, last);
        assertThat(instances.owned("earlier")).isOne();
        assertThat(instances.stored().filter()).isEqualTo(NEW);
        record(instances, 10);
        earlier.run(3);
        last.run(3);
        assertThat(types(instances)).hasSize(10).containsOnly("new.thing");

        last.leave();
        earlier.pass().pass().run(1);
        assertThat(instances.owned("earlier")).isEqualTo(2);
        record(instances, 10);
        earlier.run(3);
        assertThat(types(instances)).hasSize(20).containsOnly("new.thing");
    }

    @Test
    void aChangeThatComesDuringAnotherTakesItsPlace() {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay first = start(instances, "first", 2, OLD);
        SteppedRelay second = start(instances, "second", 3, OLD);
        SteppedRelay third = start(instances, "third", 3, NEW);
        assertThat(instances.stored().wanted()).isEqualTo(new Subscriptions.Wanted(3, NEW));
        for (int i = 0; i < 3; i++) {
            changeOver(first, second, third);
        }
        assertThat(instances.stored()).isEqualTo(new Subscriptions.Stored("test", 2, 3, NEW, false, null, null));
    }

    @Test
    void theSameFilterInAnotherOrderIsNoChange() {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        start(instances, "a", 2, Filter.types("a_%\\", "b.*").sources("s*"));
        start(instances, "b", 2, Filter.types("b.*", "a_%\\", "b.*").sources("s*"));
        assertThat(instances.stored())
                .isEqualTo(new Subscriptions.Stored(
                        "test", 1, 2, Filter.types("a_%\\", "b.*").sources("s*"), false, null, null));
    }

    @Test
    void theSameHeadersInAnotherOrderAreNoChange() {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        Filter filter = Filter.ALL.header("b", "\"2\"").header("a", "1\\");
        start(instances, "a", 2, filter);
        start(instances, "b", 2, Filter.ALL.header("a", "1\\").header("b", "\"2\""));
        assertThat(instances.stored()).isEqualTo(new Subscriptions.Stored("test", 1, 2, filter, false, null, null));
    }

    @Test
    void otherHeadersAreAnotherGeneration() {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        Filter seven = OLD.header("tenant", "7");
        Filter eight = OLD.header("tenant", "8");
        SteppedRelay before = start(instances, "before", 2, seven);
        recordForTenants(instances, "before");
        before.run(3);
        SteppedRelay after = start(instances, "after", 2, eight);
        assertThat(instances.stored())
                .isEqualTo(
                        new Subscriptions.Stored("test", 1, 2, seven, false, null, new Subscriptions.Wanted(2, eight)));
        changeOver(before, after);
        assertThat(instances.stored()).isEqualTo(new Subscriptions.Stored("test", 2, 2, eight, false, null, null));
        recordForTenants(instances, "after");
        before.run(3);
        after.run(3);
        assertThat(instances.keys()).containsExactlyInAnyOrder("before 7", "after 8");
    }

    private static void recordForTenants(Instances instances, String key) {
        for (String tenant : List.of("7", "8")) {
            instances.database.record(Event.builder()
                    .source("test")
                    .type("old.thing")
                    .key(key + " " + tenant)
                    .header("tenant", tenant)
                    .json("{}")
                    .build());
        }
        instances.database.record(event("old.thing", key + " without headers"));
    }

    @Test
    void waitingEventsGoToTheLanesOfTheirKeysAndKeepTheirPlaces() {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay relay = instances.start("old", 2);
        record(instances, 10);
        instances.database.record((String) null);
        instances.database.record((String) null);
        relay.run(3);
        instances.database.execute(waitingRows());
        instances.database.execute(
                "INSERT INTO posthorn.lane_gauge (lane_id) SELECT lane_id FROM posthorn.lane_mark ON CONFLICT DO NOTHING");
        String places = instances.database.value(PLACES);

        SteppedRelay wider = instances.start("wider", 5);
        changeOver(relay, wider);
        assertThat(instances.stored().generation()).isEqualTo(2);
        assertThat(instances.database.value(PLACES)).isEqualTo(places);
        assertThat(instances.database.number("""
                SELECT count(*) FROM posthorn.delivery d JOIN posthorn.lane n ON n.id = d.lane_id
                 WHERE n.generation = 2 AND n.index = posthorn.key_hash(d.key, d.event_id) % 5
                """)).isEqualTo(22);
        assertThat(instances.database.number(
                        "SELECT count(*) FROM posthorn.lane_gauge g JOIN posthorn.lane n ON n.id = g.lane_id"
                                + " WHERE n.generation = 1"))
                .isZero();
    }

    /** The settle of a living owner began before the change and writes a row while the change waits for its mark. */
    @Test
    void aRowWrittenBySomebodyWhoseSettleWasUnderWayGoesAlong() throws Exception {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay relay = instances.start("old", 1);
        instances.database.record("k");
        relay.run(2);
        instances.start("wider", 2).leave();
        // Parked, then stopped; the next pass would begin the generation.
        relay.pass().run(3).pass().run(2);
        assertThat(instances.database.value(
                        "SELECT m.a::text = s.stop_at::text FROM posthorn.lane_mark m, posthorn.subscription s"))
                .isEqualTo("t");
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try (Connection settling = instances.database.transaction();
                Statement statement = settling.createStatement()) {
            statement.execute("UPDATE posthorn.lane_mark SET epoch = epoch");
            Future<?> change = pool.submit(relay::pass);
            await().atMost(Duration.ofSeconds(60)).until(() -> instances.database.number("""
                            SELECT count(*) FROM pg_stat_activity
                             WHERE datname = current_database() AND wait_event_type = 'Lock'
                            """) == 1);
            statement.execute(waitingRows());
            settling.commit();
            change.get(60, SECONDS);
        } finally {
            pool.shutdownNow();
        }
        assertThat(instances.stored().generation()).isEqualTo(2);
        assertThat(instances.database.number("""
                SELECT count(*) FROM posthorn.delivery d JOIN posthorn.lane_mark m ON m.lane_id = d.lane_id
                """)).isOne();
    }

    /** It looked before the change was wanted, and takes a lane over that stood still for it and has a place to stop. */
    @Test
    void whoeverTakesALaneOverStopsWhereAllStop() throws Exception {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay relay = start(instances, "first", 2, OLD);
        Runnable meanwhile = () -> {
            start(instances, "wanting", 2, NEW).leave();
            relay.pass().run(2).pass().leave();
            record(instances, 10);
        };
        try (Session session = new Session(instances.database.dataSource(), SchemaName.DEFAULT)) {
            Subscription settings =
                    Subscription.to("test", instances.sink).lanes(2).filter(OLD).build();
            LeaseStore leases = new PostgresLeaseStore(session, "heir");
            Steps heir = new Steps(
                    session,
                    standingStill(leases, meanwhile),
                    "heir",
                    List.of(settings),
                    new RelayListener() {},
                    Instances.TTL,
                    instances.clock);
            for (int i = 0; i < 20; i++) {
                heir.pass();
                instances.clock.advance(Duration.ofMillis(100));
                heir.step();
            }
        }
        assertThat(instances.stored()).isEqualTo(new Subscriptions.Stored("test", 2, 2, NEW, false, null, null));
        assertThat(types(instances)).hasSize(10).containsOnly("new.thing");
    }

    /** Before it takes lanes over for the first time. */
    private static LeaseStore standingStill(LeaseStore store, Runnable meanwhile) {
        AtomicBoolean stoodStill = new AtomicBoolean();
        return (LeaseStore) Proxy.newProxyInstance(
                LeaseStore.class.getClassLoader(), new Class<?>[] {LeaseStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("acquire") && !stoodStill.getAndSet(true)) {
                        meanwhile.run();
                    }
                    return method.invoke(store, arguments);
                });
    }

    @Test
    void theFormerOwnerSettlesNothingMore() {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay stale = instances.start("stale", 1);
        instances.start("wider", 2).leave();
        stale.pass().run(1).pass().run(2);
        Lane lane = stale.lanes().get(0);
        instances.start("wider", 2);
        assertThat(instances.stored().generation()).isEqualTo(2);
        Mark mark = new Mark(Snapshot.NOTHING, Snapshot.NOTHING, 1);
        try (Session session = new Session(instances.database.dataSource(), SchemaName.DEFAULT)) {
            LaneScope scope = new LaneScope(Filter.ALL, 1, 0, 0, null, null);
            LaneGrant grant = new LaneGrant("test/0", 1, lane.lease(), scope);
            PostgresLaneStore store = new PostgresLaneStore(session, grant, "stale");
            assertThat(store.settle(new Settlement(0, 1, mark, mark, 1, null, false, 1, null, new Changes())))
                    .isEqualTo(Settled.LOST);
        }
        stale.pass();
        lane.step();
        assertThat(lane.isEnded()).isTrue();
    }

    /** A lane that has read nothing since it was made at a snapshot must not take its past for unread. */
    @Test
    void afterAMoveAGenerationDoesNotDeliverWhatCameBeforeIt() throws Exception {
        Instances instances = new Instances(RecordingSink.oneAtATime());
        SteppedRelay before = start(instances, "before", 2, OLD);
        record(instances, 5);
        before.run(2);
        SteppedRelay after = start(instances, "after", 2, NEW);
        changeOver(before, after);
        assertThat(types(instances)).hasSize(5).containsOnly("old.thing");
        before.leave();
        after.leave();
        record(instances, 5);
        start(instances, "wanting", 4, NEW).close();
        instances.clock.advance(Instances.TTL.plusSeconds(1));

        // The same cluster counts as another one if its identifier is not the stored one.
        instances.database.execute("UPDATE posthorn.cluster SET system_identifier = 1");
        assertThat(new Rebase(instances.database.dataSource(), SchemaName.DEFAULT).run())
                .isTrue();
        assertThat(instances.database.value(
                        "SELECT string_agg(number || ':' || floor_seq, ' ' ORDER BY number)" + " FROM posthorn.era"))
                .isEqualTo("0:0 1:20");
        assertThat(instances.stored().wanted()).isEqualTo(new Subscriptions.Wanted(4, NEW));
        SteppedRelay moved = start(instances, "moved", 4, NEW);
        record(instances, 5);
        for (int i = 0; i < 6; i++) {
            moved.pass().run(3);
        }
        assertThat(types(instances).stream().skip(5)).hasSize(10).containsOnly("new.thing");
        assertThat(instances.sink.receivedSeqs()).doesNotHaveDuplicates();
        assertThat(instances.database.value(
                        "SELECT string_agg(number || ':' || era, ' ' ORDER BY number) FROM posthorn.generation"))
                .isEqualTo("1:0 2:0 3:1");
    }

    private static final String PLACES =
            "SELECT string_agg(seq || ' ' || place || ' ' || state, ', ' ORDER BY place) FROM posthorn.delivery";

    /** One for each event, in the lane it has now, not due for long. */
    private static String waitingRows() {
        return """
                INSERT INTO posthorn.delivery (lane_id, seq, event_id, key, state, due_at)
                SELECT n.id, e.seq, e.id, e.key, 'DEFERRED', '2099-01-01'
                  FROM posthorn.subscription s
                  JOIN posthorn.generation g ON g.subscription_id = s.id AND g.number = s.generation
                 CROSS JOIN posthorn.event e
                  JOIN posthorn.lane n ON n.subscription_id = s.id AND n.generation = s.generation
                   AND n.index = posthorn.key_hash(e.key, e.id) % g.lanes
                 ORDER BY e.seq DESC
                """;
    }

    private static void changeOver(SteppedRelay... relays) {
        for (int i = 0; i < 6; i++) {
            Stream.of(relays).forEach(relay -> relay.pass().run(2));
        }
    }

    private static SteppedRelay start(Instances instances, String instance, int lanes, Filter filter) {
        return instances.start(
                instance, subscription -> subscription.lanes(lanes).filter(filter));
    }

    /** As many of either type, over several keys. */
    private static void record(Instances instances, int count) {
        IntStream.range(0, count).forEach(i -> {
            instances.database.record(event("old.thing", "k" + i));
            instances.database.record(event("new.thing", "k" + i));
        });
    }

    private static Event event(String type, String key) {
        return Event.builder().source("test").type(type).key(key).json("{}").build();
    }

    private static List<String> types(Instances instances) {
        return instances.sink.received().stream().map(e -> e.event().type()).toList();
    }

    /** By the filter in force when the event became visible, as the generations tell. */
    private static List<Long> wanted(Instances instances) {
        String seqs = instances.database.value("""
                SELECT string_agg(e.seq::text, ',') FROM posthorn.event e JOIN posthorn.generation g ON g.number = 2
                 WHERE e.type LIKE CASE WHEN pg_visible_in_snapshot(e.txid, g.start_a) THEN 'old.%' ELSE 'new.%' END
                """);
        return Stream.of(seqs.split(",")).map(Long::valueOf).toList();
    }
}
