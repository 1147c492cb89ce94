package dev.posthorn.log;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.posthorn.Outbox;
import dev.posthorn.TestDatabase;
import dev.posthorn.event.Event;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartitionKeeperTest {

    private static final String RANGES =
            "SELECT string_agg(from_seq || '-' || to_seq, ' ' ORDER BY from_seq) FROM posthorn.event_partition";

    private static final String ATTACHED =
            "SELECT count(*) FROM pg_inherits WHERE inhparent = 'posthorn.event'::regclass";

    private static final String IN_DEFAULT = "SELECT count(*) FROM posthorn.event_default";

    private static TestDatabase database;

    private final PartitionKeeper keeper = new PartitionKeeper(database.dataSource(), SchemaName.DEFAULT, 100);
    private final ExecutorService pool = Executors.newFixedThreadPool(8);

    @BeforeAll
    static void createDatabase() {
        database = TestDatabase.createEmpty();
    }

    @BeforeEach
    void startWithoutAnyPartition() {
        database.execute("DROP SCHEMA IF EXISTS posthorn CASCADE");
        // By hand, because install() would make a first partition of the default size.
        database.execute(new Schema(SchemaName.DEFAULT).script());
    }

    @AfterEach
    void stop() {
        pool.shutdownNow();
    }

    @Test
    void keepsAPartitionAheadOfTheSequence() {
        assertThat(keeper.keep()).isTrue();
        assertThat(keeper.keep()).isTrue();
        assertThat(database.value(RANGES)).isEqualTo("1-101");

        sequenceAt(60);
        assertThat(keeper.keep()).isTrue();
        assertThat(database.value(RANGES)).isEqualTo("1-101 101-201");
        assertThat(database.number(ATTACHED)).isEqualTo(3);

        database.record("k");
        assertThat(database.number("SELECT seq FROM posthorn.event_1")).isEqualTo(61);
        assertThat(database.number(IN_DEFAULT)).isZero();
    }

    @Test
    void aNewPartitionHasTheIndexesOfTheLogAndNoCheckOfItsOwn() {
        keeper.keep();
        assertThat(database.number("SELECT count(*) FROM pg_index WHERE indrelid = 'posthorn.event_1'::regclass"))
                .isEqualTo(database.number("SELECT count(*) FROM pg_index WHERE indrelid = 'posthorn.event'::regclass"))
                .isEqualTo(3);
        assertThat(database.number("SELECT count(*) FROM pg_constraint WHERE contype = 'c'"
                        + " AND conrelid = 'posthorn.event_1'::regclass"))
                .isZero();
    }

    @Test
    void afterAJumpTheNextRangeIsClearOfWritersAlreadyPastTheLast() {
        keeper.keep();
        sequenceAt(1_000_000_000_000L);
        database.record("k");
        assertThat(database.number(IN_DEFAULT)).isOne();
        assertThat(keeper.keep()).isTrue();
        assertThat(database.value(RANGES)).isEqualTo("1-101 1000000010001-1000000010101");
    }

    @Test
    void fromEightPartitionsOnEachIsTwiceAsLargeAsTheLast() {
        keeper.keep();
        for (int i = 0; i < 9; i++) {
            sequenceAt(database.number("SELECT max(to_seq) - 1 FROM posthorn.event_partition"));
            assertThat(keeper.keep()).isTrue();
        }
        assertThat(
                        database.value(
                                "SELECT string_agg((to_seq - from_seq)::text, ' ' ORDER BY from_seq) FROM posthorn.event_partition"))
                .isEqualTo("100 100 100 100 100 100 100 100 200 400");
    }

    @Test
    void withoutAnyPartitionTheDefaultTakesTheEventsAndTheFirstRangeStartsBeyondThem() {
        for (int i = 0; i < 5; i++) {
            database.record("k");
        }
        assertThat(database.number(IN_DEFAULT)).isEqualTo(5);
        assertThat(keeper.keep()).isTrue();
        assertThat(database.value(RANGES)).isEqualTo("10005-10105");
        assertThat(database.number("SELECT count(*) FROM posthorn.event")).isEqualTo(5);

        sequenceAt(10_004);
        database.record("k");
        assertThat(database.number("SELECT seq FROM posthorn.event_10005")).isEqualTo(10_005);
    }

    @Test
    void strayEventsBeyondTheSequenceMoveTheNextRangeToo() {
        keeper.keep();
        sequenceAt(200_000);
        database.record("k");
        sequenceAt(60);
        assertThat(keeper.keep()).isTrue();
        assertThat(database.value(RANGES)).isEqualTo("1-101 210001-210101");
    }

    @Test
    void anOpenWriterKeepsNeitherTheKeeperNorOtherWritersWaiting() throws Exception {
        // So large that no writer comes to its end, however long the keeper takes.
        PartitionKeeper large = new PartitionKeeper(database.dataSource(), SchemaName.DEFAULT, 10_000_000);
        large.keep();
        try (Connection open = database.transaction()) {
            Outbox.create().record(open, event());
            sequenceAt(6_000_000);
            CountDownLatch writing = new CountDownLatch(3);
            CountDownLatch kept = new CountDownLatch(1);
            Future<Integer> writer = pool.submit(() -> {
                int commits = 0;
                do {
                    recordWithin("1s");
                    commits++;
                    writing.countDown();
                } while (kept.getCount() > 0);
                recordWithin("1s");
                return commits;
            });
            assertThat(writing.await(60, SECONDS)).isTrue();
            assertThat(large.keep()).isTrue();
            kept.countDown();
            assertThat(writer.get(60, SECONDS)).isGreaterThanOrEqualTo(3);
            assertThat(database.value(RANGES)).startsWith("1-10000001 10000001-20000001");
            open.commit();
        }
    }

    /** The trap that the keeper avoids. */
    @Test
    void toCreateAPartitionInPlaceBehindAnOpenWriterStallsEveryInsert() throws Exception {
        keeper.keep();
        try (Connection open = database.transaction()) {
            Outbox.create().record(open, event());
            Future<?> naive = pool.submit(() -> database.execute(
                    "CREATE TABLE posthorn.naive PARTITION OF posthorn.event FOR VALUES FROM (101) TO (201)"));
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> database.number(
                                    "SELECT count(*) FROM pg_locks"
                                            + " WHERE relation = 'posthorn.event'::regclass AND mode = 'AccessExclusiveLock' AND NOT granted")
                            == 1);
            assertThatThrownBy(() -> recordWithin("300ms")).hasMessageContaining("lock timeout");
            open.commit();
            naive.get(60, SECONDS);
        }
        recordWithin("1s");
    }

    @Test
    void anUncommittedEventInTheDefaultPartitionIsNotTrampledOn() throws SQLException {
        try (Connection open = database.transaction()) {
            Outbox.create().record(open, event());
            assertThat(keeper.keep()).isFalse();
            recordWithin("1s");
            open.commit();
        }
        assertThat(keeper.keep()).isTrue();
        assertThat(database.value(RANGES)).isEqualTo("10002-10102");
    }

    @ParameterizedTest
    @ValueSource(strings = {"posthorn.event_default IN ACCESS EXCLUSIVE", "posthorn.event IN SHARE UPDATE EXCLUSIVE"})
    void aBusyTableIsLeftAloneAndThePartitionIsMadeLater(String lock) throws Exception {
        keeper.keep();
        sequenceAt(60);
        try (Connection busy = database.transaction();
                Statement statement = busy.createStatement()) {
            statement.execute("LOCK TABLE " + lock + " MODE");
            assertThat(pool.submit(keeper::keep).get(60, SECONDS)).isFalse();
            busy.rollback();
        }
        assertThat(database.value(RANGES)).isEqualTo("1-101");
        assertThat(keeper.keep()).isTrue();
        assertThat(database.value(RANGES)).isEqualTo("1-101 101-201");
    }

    @ParameterizedTest
    @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
    void keepersThatMeetMakeOnePartition(String isolation) throws Exception {
        // One that stands still after its look keeps another from its lock; for how long is not what is tried here.
        database.execute("ALTER FUNCTION posthorn.add_partition(bigint, bigint) SET lock_timeout = '60s'");
        PartitionKeeper each = new PartitionKeeper(database.dataSource(isolation), SchemaName.DEFAULT, 100);
        for (int round = 0; round < 5; round++) {
            CyclicBarrier together = new CyclicBarrier(8);
            Callable<Boolean> keep = () -> {
                together.await(60, SECONDS);
                return each.keep();
            };
            List<Future<Boolean>> keepers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                keepers.add(pool.submit(keep));
            }
            for (Future<Boolean> done : keepers) {
                done.get(60, SECONDS);
            }
            assertThat(database.number("SELECT count(*) FROM posthorn.event_partition"))
                    .isEqualTo(round + 1);
            sequenceAt(100L * round + 60);
        }
    }

    private void sequenceAt(long seq) {
        database.execute("SELECT setval('posthorn.event_seq', " + seq + ")");
    }

    private Void recordWithin(String lockTimeout) throws SQLException {
        try (Connection connection = database.transaction();
                Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL lock_timeout = '" + lockTimeout + "'");
            Outbox.create().record(connection, event());
            connection.commit();
            return null;
        }
    }

    private static Event event() {
        return Event.builder().source("test").type("happened").json("{}").build();
    }
}
