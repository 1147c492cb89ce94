package dev.posthorn.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.TestDatabase;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.SchemaName;
import dev.posthorn.log.Session;
import dev.posthorn.relay.fixture.Instances;
import dev.posthorn.relay.lane.Lane;
import dev.posthorn.relay.postgres.PostgresLeaseStore;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.LeaseStore;
import dev.posthorn.relay.store.SessionTrust;
import dev.posthorn.relay.store.Sharing;
import dev.posthorn.sink.Answer;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.Sink;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The one lease of a process, on all its lanes. */
class ProcessSessionTest {

    private final Instances instances = new Instances(RecordingSink.oneAtATime());

    @Test
    void aSessionBegunAnewHasAnotherId() {
        SteppedRelay relay = instances.start("a", 1);
        String first = sessionOf("a");
        relay.leave();
        assertThat(instances.database.number("SELECT count(*) FROM posthorn.session"))
                .isZero();
        instances.start("a", 1);
        assertThat(sessionOf("a")).isNotEqualTo(first);
    }

    /** Others may have said that a subscription is quiet, since nobody else was alive. */
    @Test
    void aProcessThatComesBackFromStandingStillRevivesNothing() {
        SteppedRelay relay = instances.start("a", 2);
        String first = sessionOf("a");
        List<Lane> former = relay.lanes();
        instances.clock.advance(Instances.TTL.plusSeconds(1));
        relay.pass();
        assertThat(sessionOf("a")).isNotEqualTo(first);
        assertThat(former).allSatisfy(lane -> assertThat(lane.lease().isLost()).isTrue());
        assertThat(relay.lanes()).hasSize(2).doesNotContainAnyElementsOf(former);
        assertThat(instances.database.number("SELECT sum(takeovers) FROM posthorn.lane_mark"))
                .isEqualTo(2);
    }

    @Test
    void whoseSessionWasEndedHasLostAllItsLanesAtOnce() {
        SteppedRelay relay = instances.start("a", 4);
        List<Lane> former = relay.lanes();
        instances.database.execute("DELETE FROM posthorn.session");
        assertThat(former).noneMatch(lane -> lane.lease().isLost());
        relay.pass();
        assertThat(former)
                .hasSize(4)
                .allMatch(lane -> lane.lease().isLost())
                .allMatch(lane -> lane.lease().session().isEnded())
                .allMatch(lane -> lane.lease().trustNanos() <= 0);
        assertThat(instances.owned("a")).as("under its new session").isEqualTo(4);
    }

    /** Seed 513,177: every lane was lost, and the session lived on, so that they were taken and lost for ever. */
    @Test
    void aSessionThatWasFoundEndedStaysSoThoughTheClockIsSetBack() {
        try (Session session = new Session(instances.database.dataSource(), SchemaName.DEFAULT)) {
            LeaseStore store = new PostgresLeaseStore(session, "a");
            store.begin();
            ProcessSession own = ProcessSession.begin(store, Instances.TTL, instances.clock);
            assertThat(own.renew(null)).isTrue();
            Instant before = instances.clock.instant();
            instances.clock.advance(Instances.TTL.plusSeconds(1));
            assertThat(own.renew(null)).isFalse();
            instances.clock.set(before);
            assertThat(own.renew(null)).isFalse();
        }
    }

    /** Its time is over by what others can see, but the answer is on its way. */
    @Test
    void whoIsBeingRenewedIsAlive() throws Exception {
        SteppedRelay relay = instances.start("a", 2);
        try (Connection renewal = instances.database.transaction();
                Statement statement = renewal.createStatement()) {
            statement.execute("UPDATE posthorn.session SET expires_at = expires_at + interval '1 hour'");
            instances.clock.advance(Instances.TTL.plusSeconds(1));
            SteppedRelay heir = CompletableFuture.supplyAsync(() -> instances.start("heir", 2))
                    .get(60, TimeUnit.SECONDS);
            assertThat(heir.lanes()).isEmpty();
            renewal.commit();
            heir.pass();
            assertThat(heir.lanes()).isEmpty();
            relay.pass();
            assertThat(relay.lanes()).noneMatch(lane -> lane.lease().isLost());
            assertThat(instances.owned("a")).isEqualTo(2);
        }
    }

    @Test
    void twoHeirsShareTheLanesOfADeadProcessWithoutOverlap() throws Exception {
        instances.start("dead", 40).close();
        SteppedRelay one = instances.start("one", 40);
        SteppedRelay other = instances.start("other", 40);
        instances.clock.advance(Instances.TTL.minusSeconds(1));
        one.pass();
        other.pass();
        instances.clock.advance(Duration.ofSeconds(2));
        for (int i = 0; i < 3; i++) {
            CompletableFuture<?> first = CompletableFuture.runAsync(one::pass);
            CompletableFuture.runAsync(other::pass).get(60, TimeUnit.SECONDS);
            first.get(60, TimeUnit.SECONDS);
        }
        assertThat(instances.owned("one")).isEqualTo(20);
        assertThat(instances.owned("other")).isEqualTo(20);
        assertThat(one.lanes()).hasSize(20);
        assertThat(other.lanes()).hasSize(20).extracting(Lane::name).doesNotContainAnyElementsOf(names(one));
        assertThat(instances.database.number("SELECT sum(takeovers) FROM posthorn.lane_mark"))
                .isEqualTo(40);
    }

    private static List<String> names(SteppedRelay relay) {
        return relay.lanes().stream().map(Lane::name).toList();
    }

    /** A statement that the server had not come to when its connection was given up. */
    @Test
    void whatIsDoneForAFormerConnectionTakesNothing() {
        Subscription subscription = Subscription.to("test", instances.sink).build();
        instances.subscriptions().register(subscription);
        try (Session session = new Session(instances.database.dataSource(), SchemaName.DEFAULT)) {
            LeaseStore store = new PostgresLeaseStore(session, "a");
            store.begin();
            store.open(Instances.TTL);
            long id = instances.database.number("SELECT id FROM posthorn.subscription");
            Sharing sharing =
                    store.look(null, List.of(id)).subscriptions().get(id).orElseThrow();
            LeaseStore.Claim claim = new LeaseStore.Claim(id, subscription, sharing, 2);
            SessionTrust trust = new SessionTrust(UUID.randomUUID(), Instances.TTL, 0, instances.clock);
            List<LaneGrant> grants = store.acquire(List.of(claim), trust);
            assertThat(grants).hasSize(2);
            instances.database.execute("UPDATE posthorn.session SET link = gen_random_uuid()");
            assertThat(store.acquire(List.of(claim), trust)).isEmpty();
            store.reconcile(List.of());
            assertThat(instances.owned("a")).as("nor does it give anything up").isEqualTo(2);
            store.begin();
            assertThat(store.renew(Instances.TTL, null)).isTrue();
            assertThat(store.acquire(List.of(claim), trust)).hasSize(2);
            store.reconcile(grants.stream().map(LaneGrant::lease).toList());
            assertThat(instances.owned("a")).isEqualTo(2);
        }
    }

    @Test
    void aSessionIsLongEnoughForTheSubscriptionsThatItsProcessStartsWith() {
        for (int seconds : new int[] {2, 60}) {
            Subscription subscription = Subscription.to("test", instances.sink)
                    .timeout(Duration.ofSeconds(seconds))
                    .build();
            SteppedRelay.of(
                            Relay.builder(instances.database.dataSource())
                                    .instance("for " + seconds)
                                    .subscribe(subscription),
                            instances.clock)
                    .pass();
        }
        assertThat(instances.database.value("SELECT string_agg(ttl::text, ' ' ORDER BY ttl) FROM posthorn.session"))
                .isEqualTo("00:00:30 00:02:10");
    }

    @Test
    void aPassCostsAsMuchForManySubscriptionsAsForOne() {
        CountingDataSource counting = new CountingDataSource(instances.database.dataSource());
        Subscription[] all = IntStream.range(0, 500)
                .mapToObj(i -> Subscription.to("s" + i, instances.sink).build())
                .toArray(Subscription[]::new);
        SteppedRelay relay = SteppedRelay.of(
                Relay.builder(counting.dataSource()).instance("a").sessionTtl(Instances.TTL), instances.clock);
        relay.serve(all[0]).pass().pass();
        assertThat(counting.during(relay::pass)).isEqualTo(2);
        assertThat(counting.during(() -> relay.serve(all).pass())).isLessThan(30);
        relay.pass();
        assertThat(relay.lanes()).hasSize(2000);
        assertThat(counting.during(relay::pass)).isEqualTo(2);
        assertThat(counting.during(relay::pass)).isEqualTo(2);
        instances.subscriptions().pause("s7", null, Instances.OPS);
        assertThat(counting.during(relay::pass)).as("a change of one").isEqualTo(2);
        relay.close();
        assertThat(counting.during(() -> SteppedRelay.of(
                                Relay.builder(counting.dataSource())
                                        .instance("b")
                                        .sessionTtl(Instances.TTL),
                                instances.clock)
                        .serve(all)
                        .pass()))
                .as("a start with subscriptions that are there")
                .isLessThan(20);
    }

    /** Without the lane's own look each second: no time passes here. */
    @Test
    void aCommandReachesItsLaneByTheNextPass() {
        SteppedRelay relay = instances.start("a", 1);
        instances.database.record("k");
        relay.run(3).pass().step();
        instances.database.execute("""
                INSERT INTO posthorn.command (subscription_id, kind, event_id, seq, key, requested_by)
                SELECT s.id, 'RELEASE', e.id, e.seq, e.key, 'ops' FROM posthorn.subscription s, posthorn.event e
                """);
        relay.step().step();
        assertThat(answered()).as("nobody told it").isZero();
        // It gets off its front first, and settles after a moment; too soon for a look of its own.
        relay.pass().step().step().step().run(1);
        assertThat(answered()).isOne();
    }

    private long answered() {
        return instances.database.number("SELECT count(*) FROM posthorn.command WHERE answered_at IS NOT NULL");
    }

    /** Or a new process would bring all deliveries to a stop at once. */
    @Test
    void aBoundedNumberOfLanesIsGivenUpAtATime() {
        Subscription[] all = IntStream.range(0, 5)
                .mapToObj(
                        i -> Subscription.to("s" + i, instances.sink).lanes(256).build())
                .toArray(Subscription[]::new);
        SteppedRelay first = relay("first").serve(all).pass();
        SteppedRelay second = relay("second").serve(all).pass();
        first.pass();
        assertThat(leaving(first)).isEqualTo(500);
        first.pass();
        assertThat(leaving(first)).as("no time has passed").isEqualTo(500);
        instances.clock.advance(Duration.ofMillis(200));
        first.pass();
        assertThat(leaving(first)).isEqualTo(600);
        instances.clock.advance(Duration.ofSeconds(1));
        first.pass();
        assertThat(leaving(first)).isEqualTo(640);
        first.run(2).pass();
        second.pass();
        assertThat(second.lanes()).hasSize(640);
    }

    private SteppedRelay relay(String instance) {
        return SteppedRelay.of(
                Relay.builder(instances.database.dataSource())
                        .instance(instance)
                        .sessionTtl(Instances.TTL),
                instances.clock);
    }

    private static long leaving(SteppedRelay relay) {
        return relay.lanes().stream().filter(lane -> lane.orders().leave()).count();
    }

    /** And one with nothing to do keeps its session. */
    @Test
    void whoseWorkerStandsStillGivesItsLanesToOthers() throws InterruptedException {
        RecordingSink sink = RecordingSink.oneAtATime();
        CountDownLatch never = new CountDownLatch(1);
        TestDatabase database = TestDatabase.create();
        String session = "SELECT id FROM posthorn.session WHERE instance = 'idle'";
        try (Relay idle = relay(database, "idle", sink).start()) {
            String first = database.value(session);
            TimeUnit.SECONDS.sleep(4);
            assertThat(database.value(session)).isEqualTo(first);
            assertThat(idle.lanes()).hasSize(1);
        }
        Relay stuck = relay(database, "stuck", standingStill(never)).start();
        try (Relay heir = relay(database, "heir", sink).start()) {
            database.record("k");
            await().atMost(Duration.ofSeconds(60)).until(() -> sink.received().size() == 1);
            assertThat(heir.lanes()).hasSize(1);
        } finally {
            never.countDown();
            stuck.close();
        }
    }

    private static Relay.Builder relay(TestDatabase database, String instance, Sink sink) {
        return Relay.builder(database.dataSource())
                .instance(instance)
                .sessionTtl(Duration.ofMillis(1500))
                .subscribe(Subscription.to("test", sink)
                        .lanes(1)
                        .timeout(Duration.ofMillis(200))
                        .build());
    }

    private static Sink standingStill(CountDownLatch until) {
        return new Sink() {
            @Override
            public boolean keepsOrder() {
                return false;
            }

            @Override
            public Channel open(String lane, Duration timeout) {
                return new Channel() {
                    @Override
                    public void send(RecordedEvent event, int attempt, Answer answer) {
                        try {
                            until.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    }

                    @Override
                    public void close() {}
                };
            }
        };
    }

    private String sessionOf(String instance) {
        return instances.database.value("SELECT id FROM posthorn.session WHERE instance = '" + instance + "'");
    }
}
