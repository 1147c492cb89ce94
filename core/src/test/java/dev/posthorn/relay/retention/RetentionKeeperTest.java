package dev.posthorn.relay.retention;

import static dev.posthorn.relay.fixture.Instances.OPS;
import static dev.posthorn.relay.fixture.RetentionDatabase.A_WEEK;
import static dev.posthorn.relay.fixture.RetentionDatabase.WEEK;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.Outbox;
import dev.posthorn.event.Event;
import dev.posthorn.relay.Relay;
import dev.posthorn.relay.fixture.RetentionDatabase;
import dev.posthorn.relay.retention.RetentionKeeper.Dropped;
import dev.posthorn.relay.retention.RetentionKeeper.Hold;
import dev.posthorn.relay.retention.RetentionKeeper.Pass;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The first partition holds the events 1 to 100; what is asked is when it goes. */
class RetentionKeeperTest {

    private static final String FIRST_IS_GONE = "101-201";
    private static final String FIRST_IS_THERE = "1-101 101-201";

    private final RetentionDatabase log = new RetentionDatabase();

    @Test
    void anOldPartitionThatEveryLaneHasSettledIsDropped() {
        dropsWhatIsSettled(log);
    }

    @Test
    void theSameOnTheOldestPostgresql() {
        dropsWhatIsSettled(RetentionDatabase.onOldest());
    }

    private static void dropsWhatIsSettled(RetentionDatabase log) {
        long one = log.lane("one");
        long two = log.lane("two");
        log.record("1");
        log.fillTheFirst();
        log.settle(one);
        log.settle(two);
        log.clock.advance(WEEK);
        assertThat(log.keeper().pass().dropped()).containsExactly(new Dropped(1, 101, WEEK, 0));
        assertThat(log.ranges()).isEqualTo(FIRST_IS_GONE);
        assertThat(log.count("event")).isZero();
        assertThat(log.database.value("SELECT to_regclass('posthorn.event_1') IS NULL"))
                .isEqualTo("t");
        assertThat(log.keeper().pass()).isEqualTo(Pass.NOTHING);
    }

    @Test
    void aYoungPartitionIsKept() {
        log.fillTheFirst();
        log.clock.advance(WEEK.minusMillis(1));
        assertThat(log.keeper().pass()).isEqualTo(Pass.NOTHING);
        assertThat(log.ranges()).isEqualTo(FIRST_IS_THERE);
    }

    @Test
    void withoutAnySubscriptionAgeAloneDecides() {
        log.fillTheFirst();
        log.clock.advance(WEEK);
        assertThat(log.keeper().pass().dropped()).hasSize(1);
        assertThat(log.ranges()).isEqualTo(FIRST_IS_GONE);
    }

    @Test
    void aPartitionThatIsNotFullIsKeptHoweverOldItsEventsAre() {
        log.record("1");
        log.sequenceAt(99);
        log.partitions.keep();
        log.keeper().pass();
        log.clock.advance(WEEK.multipliedBy(10));
        assertThat(log.keeper().pass()).isEqualTo(Pass.NOTHING);
        assertThat(log.ranges()).isEqualTo("1-101 101-201");
    }

    @Test
    void offMeansThatNothingIsTouched() {
        log.sequenceAt(100);
        log.clock.advance(WEEK);
        log.database.execute("INSERT INTO posthorn.kept_event SELECT pg_current_xact_id(), 1, gen_random_uuid(), NULL,"
                + " 's', 't', 1, NULL, NULL, 'a/b', '', NULL, now(), now(), NULL");
        RetentionKeeper off = log.keeper(Retention.off());
        assertThat(off.pass()).isEqualTo(Pass.NOTHING);
        assertThat(log.database.number("SELECT count(*) FROM posthorn.event_partition WHERE passed_at IS NOT NULL"))
                .isZero();
        assertThat(log.count("kept_event")).isOne();
    }

    @Test
    void aLaneThatHasNotSettledItKeepsItAndItsSubscriptionIsNamed() {
        long settled = log.lane("settled");
        long behind = log.lane("behind");
        log.fillTheFirst();
        log.settle(settled);
        log.clock.advance(WEEK.plusDays(2));
        Pass held = log.keeper().pass();
        assertThat(held.dropped()).isEmpty();
        assertThat(held.holds()).containsExactly(new Hold("behind", WEEK.plusDays(2), 100));
        assertThat(held.openTransaction()).isFalse();
        assertThat(log.ranges()).isEqualTo(FIRST_IS_THERE);

        log.settle(behind);
        Pass free = log.keeper().pass();
        assertThat(free.dropped()).hasSize(1);
        assertThat(free.holds()).isEmpty();
    }

    @Test
    void insideAWindowTheMarksPlaceCounts() {
        long lane = log.lane("walking");
        log.fillTheFirst();
        log.awaitThatAllHaveEnded();
        log.move(lane, "b = pg_current_snapshot(), seq = 99");
        log.clock.advance(WEEK);
        assertThat(log.keeper().pass().holds()).hasSize(1);
        log.move(lane, "seq = 100");
        assertThat(log.keeper().pass().dropped()).hasSize(1);
    }

    /** Somebody drew a number of the range, and committed after the lane had passed all of its numbers. */
    @Test
    void anEventCommittedLateIsWaitedFor() throws Exception {
        RetentionDatabase late = new RetentionDatabase();
        long lane = late.lane("walking");
        try (Connection open = late.database.transaction()) {
            RetentionDatabase.record(open, "\"late\"");
            late.fillTheFirst();
            late.move(lane, "b = pg_current_snapshot(), seq = 100");
            open.commit();
        }
        late.awaitThatAllHaveEnded();
        late.clock.advance(WEEK);
        Pass pass = late.keeper(A_WEEK).pass();
        assertThat(late.count("event")).isOne();
        assertThat(pass.holds()).hasSize(1);

        late.settle(lane);
        assertThat(late.keeper(A_WEEK).pass().dropped()).hasSize(1);
    }

    @Test
    void aTransactionThatIsStillOpenIsBlamedInsteadOfTheSubscription() throws SQLException {
        long lane = log.lane("innocent");
        try (Connection open = log.database.transaction()) {
            RetentionDatabase.record(open, "1");
            log.fillTheFirst();
            log.move(lane, "a = pg_current_snapshot(), b = pg_current_snapshot()");
            log.clock.advance(WEEK);
            Pass pass = log.keeper().pass();
            assertThat(pass.dropped()).isEmpty();
            assertThat(pass.holds()).isEmpty();
            assertThat(pass.openTransaction()).isTrue();
            assertThat(log.keeper().letGo("innocent", OPS, "test")).isInstanceOf(LetGo.NothingHeld.class);
            open.rollback();
        }
        log.settle(lane);
        assertThat(log.keeper().pass().dropped()).hasSize(1);
    }

    /** What the comparison of passed_xid with txids rests on. */
    @Test
    void anInsertHasItsTransactionIdBeforeItDrawsItsSeq() throws SQLException {
        log.database.execute("""
                CREATE FUNCTION posthorn.draw() RETURNS bigint LANGUAGE plpgsql AS $$
                BEGIN
                    ASSERT pg_current_xact_id_if_assigned() IS NOT NULL, 'seq before txid';
                    RETURN nextval('posthorn.event_seq');
                END $$;
                ALTER TABLE posthorn.event ALTER seq SET DEFAULT posthorn.draw();
                """);
        log.record("1");
        Event event = Event.builder().source("test").type("happened").json("{}").build();
        try (Connection connection = log.database.transaction()) {
            Outbox.create().record(connection, List.of(event, event));
            connection.commit();
        }
        assertThat(log.count("event_1")).isEqualTo(3);
    }

    @Test
    void whatDeliveryRowsStillNeedIsKeptUntilTheyAreGone() {
        long lane = log.lane("waiting");
        log.record("\"first\"");
        log.record("\"second\"");
        log.deliveryRow(lane, 2);
        String second = log.database.value("SELECT e::text FROM posthorn.event e WHERE seq = 2");
        log.fillTheFirst();
        log.settle(lane);
        log.clock.advance(WEEK);
        assertThat(log.keeper().pass().dropped()).containsExactly(new Dropped(1, 101, WEEK, 1));
        assertThat(log.count("event")).isZero();
        assertThat(log.database.value("SELECT k::text FROM posthorn.kept_event k"))
                .isEqualTo(second);

        assertThat(log.keeper().pass()).isEqualTo(Pass.NOTHING);
        assertThat(log.count("kept_event")).isOne();
        log.database.execute("DELETE FROM posthorn.delivery");
        assertThat(log.keeper().pass().deleted()).isOne();
        assertThat(log.count("kept_event")).isZero();
    }

    @Test
    void anOpenWriterIsNotDisturbedAndTheDropIsTriedAgain() throws Exception {
        log.fillTheFirst();
        log.clock.advance(WEEK);
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try (Connection open = log.database.transaction();
                Statement statement = open.createStatement()) {
            RetentionDatabase.record(open, "1");
            Future<Pass> pass = pool.submit(() -> log.keeper().pass());
            await().atMost(Duration.ofSeconds(60)).until(() -> pass.isDone() || isWaiting());
            // This one queues behind the drop, and would for as long as the other is open, but for the lock timeout.
            recordWithin("60s");
            assertThat(pass.get(60, SECONDS).complete()).isFalse();
            assertThat(pass.get().dropped()).isEmpty();
            statement.execute("SET LOCAL lock_timeout = '60s'");
            RetentionDatabase.record(open, "2");
            open.commit();
        } finally {
            pool.shutdownNow();
        }
        assertThat(log.ranges()).isEqualTo(FIRST_IS_THERE);
        assertThat(log.keeper().pass().dropped()).hasSize(1);
        assertThat(log.count("event")).isEqualTo(3);
    }

    private boolean isWaiting() {
        return log.database.number("SELECT count(*) FROM pg_locks WHERE relation = 'posthorn.event'::regclass"
                        + " AND mode = 'AccessExclusiveLock' AND NOT granted")
                == 1;
    }

    private void recordWithin(String lockTimeout) throws SQLException {
        try (Connection connection = log.database.transaction();
                Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL lock_timeout = '" + lockTimeout + "'");
            RetentionDatabase.record(connection, "1");
            connection.commit();
        }
    }

    @Test
    void oneKeeperAtATime() throws SQLException {
        log.fillTheFirst();
        log.clock.advance(WEEK);
        try (Connection other = log.database.transaction();
                Statement statement = other.createStatement()) {
            statement.execute("SELECT pg_advisory_xact_lock(hashtextextended('retention posthorn', 0))");
            assertThat(log.keeper().pass().complete()).isFalse();
            assertThat(log.ranges()).isEqualTo(FIRST_IS_THERE);
            other.rollback();
        }
        assertThat(log.keeper().pass().dropped()).hasSize(1);
    }

    /** After a move the stored ids of transactions say nothing any more: a lane is through when its first window is. */
    @Test
    void aPartitionOfAnEarlierEraGoesWhenEveryLaneHasDrainedIt() {
        long lane = log.lane("moved");
        log.fillTheFirst();
        log.clock.advance(WEEK);
        log.database.execute("UPDATE posthorn.cluster SET era = 1, floor_seq = 150");
        // As if that cluster had been far ahead, or far behind: neither matters.
        log.database.execute("UPDATE posthorn.event_partition SET passed_xid = '5' WHERE passed_at IS NOT NULL");
        log.move(lane, "a = '1:1:', b = pg_current_snapshot(), seq = 99");
        assertThat(log.keeper().pass().holds()).hasSize(1);

        log.database.execute(
                "UPDATE posthorn.event_partition SET passed_xid = '9000000000' WHERE passed_at IS NOT NULL");
        log.move(lane, "seq = 100");
        assertThat(log.keeper().pass().dropped()).hasSize(1);
        assertThat(log.ranges()).isEqualTo(FIRST_IS_GONE);
    }

    @Test
    void aPartitionOfAnEarlierEraGoesWhenTheFirstWindowIsBehind() {
        long lane = log.lane("moved");
        log.fillTheFirst();
        log.database.execute("UPDATE posthorn.cluster SET era = 1, floor_seq = 150");
        log.database.execute(
                "UPDATE posthorn.event_partition SET passed_xid = '9000000000' WHERE passed_at IS NOT NULL");
        log.move(lane, "a = pg_current_snapshot(), b = pg_current_snapshot(), seq = 0");
        log.clock.advance(WEEK);
        assertThat(log.keeper().pass().dropped()).hasSize(1);
    }

    @Test
    void partitionsAreMadeOnEvenIfAllFormerOnesAreGone() {
        log.sequenceAt(5_000);
        log.keeper().pass();
        log.clock.advance(WEEK);
        assertThat(log.keeper().pass().dropped()).hasSize(1);
        assertThat(log.ranges()).isEmpty();

        log.record("1");
        assertThat(log.count("event_default")).isOne();
        assertThat(log.partitions.keep()).isTrue();
        assertThat(log.ranges()).isEqualTo("15001-15101");
        log.sequenceAt(15_000);
        log.record("1");
        assertThat(log.count("event_15001")).isOne();
    }

    /** With lanes that really read: what they have delivered goes, what they have not stays. */
    @Test
    void lanesAtWorkLoseNothing() {
        RecordingSink sink = RecordingSink.oneAtATime();
        Relay.Builder builder = Relay.builder(log.database.dataSource())
                .subscribe(
                        Subscription.to("test", sink).lanes(2).fromBeginning().build());
        SteppedRelay relay = SteppedRelay.of(builder, log.clock).pass();
        IntStream.range(0, 150).forEach(i -> log.record(String.valueOf(i)));
        log.partitions.keep();
        log.keeper().pass();
        relay.leave();
        log.awaitThatAllHaveEnded();
        log.clock.advance(WEEK);
        assertThat(log.keeper().pass().holds()).extracting(Hold::subscription).containsExactly("test");

        relay = SteppedRelay.of(builder, log.clock).pass();
        relay.run(20);
        assertThat(sink.received()).hasSize(150);
        relay.leave();
        assertThat(log.keeper().pass().dropped()).hasSize(1);
        relay = SteppedRelay.of(builder, log.clock).pass();
        log.record("\"after the drop\"");
        relay.run(5);
        assertThat(sink.received()).hasSize(151);
        relay.leave();
    }

    @Test
    void aRunningRelayForgetsByItself() {
        RecordingSink sink = RecordingSink.oneAtATime();
        Retention hardlyAny = new Retention(Duration.ofMillis(1), null, null, null, Duration.ofMillis(100));
        try (Relay relay = Relay.builder(log.database.dataSource())
                .subscribe(Subscription.to("test", sink).build())
                .retention(hardlyAny)
                .partitionSize(100)
                .start()) {
            IntStream.range(0, 150).forEach(i -> log.record(String.valueOf(i)));
            relay.wake();
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                log.clock.advance(Duration.ofMillis(10));
                return !log.ranges().startsWith("1-");
            });
            assertThat(sink.received()).hasSize(150);
            assertThat(relay.retention().letGo("test", OPS, "nothing to do")).isInstanceOf(LetGo.NothingHeld.class);
        }
    }
}
