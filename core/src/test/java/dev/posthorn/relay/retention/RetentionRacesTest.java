package dev.posthorn.relay.retention;

import static dev.posthorn.relay.fixture.RetentionDatabase.A_WEEK;
import static dev.posthorn.relay.fixture.RetentionDatabase.WEEK;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.audit.Actor;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Relay;
import dev.posthorn.relay.fixture.RetentionDatabase;
import dev.posthorn.relay.retention.RetentionKeeper.Pass;
import dev.posthorn.replay.Replay;
import dev.posthorn.replay.ReplayRequest;
import dev.posthorn.replay.Replays;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SteppedRelay;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The first partition is due; somebody comes to need its events between the look that finds that and the drop. */
@Tag("slow")
class RetentionRacesTest {

    private static final String FIRST_IS_GONE = "101-201";
    private static final String FIRST_IS_THERE = "1-101 101-201";

    /** Whoever comes by there stands until the test lets go. */
    private static final String GATE = """
            CREATE FUNCTION posthorn.gate() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                PERFORM pg_advisory_xact_lock(4711);
                RETURN NULL;
            END $$;
            CREATE TRIGGER gate AFTER %s FOR EACH STATEMENT EXECUTE FUNCTION posthorn.gate();
            """;

    private static final String FROZEN_AND_GONE = "SELECT count(*) FROM posthorn.replay_item i WHERE NOT EXISTS"
            + " (SELECT FROM posthorn.event e WHERE e.seq = i.seq)";

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ExecutorService pool = Executors.newFixedThreadPool(2);

    @AfterEach
    void shutDown() {
        pool.shutdownNow();
    }

    /** 120 events that the subscription "test" has delivered, the first 100 of them due. */
    private static RetentionDatabase delivered() {
        RetentionDatabase log = new RetentionDatabase();
        patient(log);
        RecordingSink sink = RecordingSink.oneAtATime();
        SteppedRelay relay = SteppedRelay.of(
                        Relay.builder(log.database.dataSource())
                                .subscribe(Subscription.to("test", sink)
                                        .lanes(1)
                                        .fromBeginning()
                                        .build()),
                        log.clock)
                .pass();
        IntStream.range(0, 100).forEach(i -> log.record(String.valueOf(i)));
        log.partitions.keep();
        IntStream.range(100, 120).forEach(i -> log.record(String.valueOf(i)));
        log.keeper().pass();
        log.awaitThatAllHaveEnded();
        relay.run(20);
        assertThat(sink.received()).hasSize(120);
        relay.leave();
        log.clock.advance(WEEK);
        return log;
    }

    /** How long a drop waits for its lock is not what is tried here. */
    private static void patient(RetentionDatabase log) {
        log.database.execute("ALTER FUNCTION posthorn.lock_partition(bigint) SET lock_timeout = '10min';"
                + "ALTER FUNCTION posthorn.drop_partition(bigint) SET lock_timeout = '10min';"
                + "ALTER FUNCTION posthorn.delete_strays(timestamptz, integer) SET lock_timeout = '10min'");
    }

    @Test
    void aReplayThatFrozeItsSetWhileTheDropWaitedKeepsThePartition() throws Exception {
        RetentionDatabase log = delivered();
        log.database.execute(GATE.formatted("INSERT ON posthorn.replay_item"));
        Future<Replay> freeze;
        Future<Pass> pass;
        try (Connection gate = closed(log)) {
            freeze = pool.submit(() -> replayAll(log));
            await().atMost(PATIENCE).until(() -> isWaitingAtGate(log));
            pass = pool.submit(() -> log.keeper(A_WEEK).pass());
            await().atMost(PATIENCE).until(() -> isWaiting(log, "event", "AccessExclusiveLock"));
            gate.rollback();
        }
        assertThat(freeze.get(120, SECONDS).pending()).isEqualTo(120);
        assertThat(pass.get(120, SECONDS).dropped()).isEmpty();
        assertThat(log.database.number(FROZEN_AND_GONE)).isZero();
        assertThat(log.ranges()).isEqualTo(FIRST_IS_THERE);

        log.database.execute("DELETE FROM posthorn.replay_item");
        assertThat(log.keeper(A_WEEK).pass().dropped()).hasSize(1);
    }

    @Test
    void aReplayThatComesWhileThePartitionIsDroppedFreezesNothingOfIt() throws Exception {
        RetentionDatabase log = delivered();
        log.database.execute(GATE.formatted("DELETE ON posthorn.event_partition"));
        Future<Pass> pass;
        Future<Replay> freeze;
        try (Connection gate = closed(log)) {
            pass = pool.submit(() -> log.keeper().pass());
            await().atMost(PATIENCE).until(() -> isWaitingAtGate(log));
            freeze = pool.submit(() -> replayAll(log));
            await().atMost(PATIENCE).until(() -> isWaiting(log, "event", "AccessShareLock"));
            gate.rollback();
        }
        assertThat(pass.get(120, SECONDS).dropped()).hasSize(1);
        assertThat(freeze.get(120, SECONDS).pending()).isEqualTo(20);
        assertThat(log.database.number(FROZEN_AND_GONE)).isZero();
    }

    /** Its lane may have read, and delivered, the first events of the partition already. */
    @Test
    void aSubscriptionThatBeganWhileTheDropWaitedKeepsThePartition() throws Exception {
        RetentionDatabase log = delivered();
        assertThat(passWhileAReaderReads(log, () -> log.lane("new")).dropped()).isEmpty();
        assertThat(log.ranges()).isEqualTo(FIRST_IS_THERE);
    }

    @Test
    void aRebaseWhileTheDropWaitedKeepsThePartition() throws Exception {
        RetentionDatabase log = delivered();
        Pass pass = passWhileAReaderReads(
                log,
                () -> log.database.execute("UPDATE posthorn.cluster SET era = 1, floor_seq = 120;"
                        + " UPDATE posthorn.lane_mark SET a = '1:1:', b = pg_current_snapshot(), seq = 0"));
        assertThat(pass.dropped()).isEmpty();
        assertThat(log.ranges()).isEqualTo(FIRST_IS_THERE);
    }

    @Test
    void anEventThatARowCameToNeedWhileTheDropWaitedIsKept() throws Exception {
        RetentionDatabase log = delivered();
        long lane = log.database.number("SELECT id FROM posthorn.lane");
        log.deliveryRow(lane, 3);
        Pass pass = passWhileAReaderReads(log, () -> log.deliveryRow(lane, 5));
        assertThat(pass.dropped()).singleElement().returns(2L, RetentionKeeper.Dropped::kept);
        assertThat(log.database.value("SELECT string_agg(seq::text, ' ' ORDER BY seq) FROM posthorn.kept_event"))
                .isEqualTo("3 5");
        assertThat(log.ranges()).isEqualTo(FIRST_IS_GONE);
    }

    /** What was copied for the drop that was not to be is not there twice. */
    @Test
    void aDropThatIsCalledOffLeavesNoCopies() throws Exception {
        RetentionDatabase log = delivered();
        log.deliveryRow(log.database.number("SELECT id FROM posthorn.lane"), 3);
        passWhileAReaderReads(log, () -> log.lane("new"));
        assertThat(log.count("kept_event")).isZero();
    }

    @Test
    void aReplayThatFrozeStraysWhileTheirDeletionWaitedKeepsThem() throws Exception {
        RetentionDatabase log = delivered();
        log.sequenceAt(1_000);
        log.record("\"stray\"");
        assertThat(log.count("event_default")).isOne();
        log.settle(log.database.number("SELECT id FROM posthorn.lane"));
        log.clock.advance(WEEK.multipliedBy(2));
        log.database.execute(GATE.formatted("INSERT ON posthorn.replay_item"));
        Future<Replay> freeze;
        Future<Pass> pass;
        try (Connection gate = closed(log)) {
            freeze = pool.submit(() -> replayAll(log));
            await().atMost(PATIENCE).until(() -> isWaitingAtGate(log));
            // The partition is not to be waited for.
            log.database.execute("UPDATE posthorn.event_partition SET passed_at = posthorn.clock()"
                    + " WHERE passed_at IS NOT NULL");
            pass = pool.submit(() -> log.keeper().pass());
            await().atMost(PATIENCE).until(() -> isWaiting(log, "event_default", "AccessExclusiveLock"));
            gate.rollback();
        }
        assertThat(freeze.get(120, SECONDS).pending()).isEqualTo(121);
        assertThat(pass.get(120, SECONDS).complete()).isTrue();
        assertThat(log.count("event_default")).isOne();
        assertThat(log.database.number(FROZEN_AND_GONE)).isZero();
    }

    private Pass passWhileAReaderReads(RetentionDatabase log, Runnable meanwhile) throws Exception {
        Future<Pass> pass;
        try (Connection reader = log.database.transaction();
                Statement statement = reader.createStatement()) {
            statement.execute("SELECT FROM posthorn.event LIMIT 1");
            pass = pool.submit(() -> log.keeper(A_WEEK).pass());
            await().atMost(PATIENCE).until(() -> isWaiting(log, "event", "AccessExclusiveLock"));
            meanwhile.run();
            reader.rollback();
        }
        return pass.get(120, SECONDS);
    }

    private static Replay replayAll(RetentionDatabase log) {
        Replays replays = new Replays(log.database.dataSource(), SchemaName.DEFAULT);
        Instant longAgo = Instant.parse("2000-01-01T00:00:00Z");
        Instant farAhead = Instant.parse("2100-01-01T00:00:00Z");
        return replays.start(
                ReplayRequest.ofHistory("test", longAgo, farAhead, List.of(), null, null)
                        .reason("to be tried")
                        .build(),
                Actor.named("ann"));
    }

    private static Connection closed(RetentionDatabase log) throws SQLException {
        Connection gate = log.database.transaction();
        try (Statement statement = gate.createStatement()) {
            statement.execute("SELECT pg_advisory_xact_lock(4711)");
        }
        return gate;
    }

    private static boolean isWaitingAtGate(RetentionDatabase log) {
        return log.database.number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711"
                        + " AND NOT granted")
                == 1;
    }

    private static boolean isWaiting(RetentionDatabase log, String table, String mode) {
        return log.database.number("SELECT count(*) FROM pg_locks WHERE relation = 'posthorn." + table + "'::regclass"
                        + " AND mode = '" + mode + "' AND NOT granted")
                == 1;
    }
}
