package dev.posthorn.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.Outbox;
import dev.posthorn.TestDatabase;
import dev.posthorn.event.Event;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each trap of reading by snapshots. */
class PostgresLogTest {

    private static final int ALL = 1000;

    private final Outbox outbox = Outbox.create();

    @Test
    void aTransactionThatWasRunningIsReadWhenItHasEnded() throws Exception {
        TestDatabase database = TestDatabase.create();
        try (Connection slow = database.transaction();
                LogReader reader = new LogReader(database)) {
            record(slow, "slow");
            database.record("quick");
            assertThat(reader.readAll(ALL).keys()).containsExactly("quick");
            slow.commit();
            assertThat(reader.readAll(ALL).keys()).containsExactly("quick", "slow");
        }
    }

    @Test
    void aStragglerInAFrozenWindowIsReadInItsPlace() throws Exception {
        TestDatabase database = TestDatabase.create();
        try (Connection straggler = database.transaction();
                LogReader reader = new LogReader(database)) {
            takeTransactionId(straggler);
            database.record("before");
            reader.readAll(ALL);
            record(straggler, "one");
            straggler.commit();
            database.record("two");
            assertThat(reader.readAll(1).keys()).containsExactly("before", "one", "two");
        }
    }

    @Test
    void aStragglerMayHaveAHigherSeqThanALaterTransaction() throws SQLException {
        TestDatabase database = TestDatabase.create();
        try (Connection straggler = database.transaction();
                LogReader reader = new LogReader(database)) {
            takeTransactionId(straggler);
            database.record("before");
            reader.readAll(ALL);
            database.record("one");
            record(straggler, "two");
            straggler.commit();
            database.record("three");
            assertThat(reader.readAll(1).keys()).containsExactly("before", "one", "two", "three");
        }
    }

    @Test
    void aWindowLargerThanABatchIsReadToItsEnd() throws Exception {
        TestDatabase database = TestDatabase.create();
        try (LogReader reader = new LogReader(database)) {
            IntStream.range(0, 10).forEach(i -> database.record("k" + i));
            assertThat(reader.readAll(3).keys()).hasSize(10);
        }
    }

    @Test
    void whatCommitsRightAfterAReadIsInTheNextWindow() throws Exception {
        TestDatabase database = TestDatabase.create();
        List<String> late = new ArrayList<>(List.of("late"));
        DataSource interfering = beforeStatement(
                database.dataSource(), "SELECT pg_current_snapshot()::text", () -> recordOnce(database, late));
        try (LogReader reader =
                new LogReader(database, interfering, LogReader.WHOLE, new Cursor.Tail(LogReader.now(database)))) {
            database.record("early");
            reader.readOnce(ALL, ALL);
            recordOnce(database, late);
            assertThat(reader.readAll(ALL).keys()).containsExactly("early", "late");
        }
    }

    @Test
    void aReadIsBoundedByBytesAndMissesNothing() throws Exception {
        TestDatabase database = TestDatabase.create();
        try (LogReader reader = new LogReader(database)) {
            IntStream.range(0, 10).forEach(i -> database.record(event("k" + i, new byte[100_000])));
            int most = 0;
            for (int i = 0; i < 8; i++) {
                most = Math.max(most, reader.readOnce(ALL, 250_000).events().size());
            }
            assertThat(reader.keys()).hasSize(10);
            assertThat(most).isLessThanOrEqualTo(3);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 1000})
    void lanesShareTheEventsWithoutGapOrOverlap(int limit) {
        TestDatabase database = TestDatabase.create();
        IntStream.range(0, 60).forEach(i -> database.record(i % 10 == 0 ? null : "key-" + i % 17));
        List<Long> all = new ArrayList<>();
        for (int lane = 0; lane < 3; lane++) {
            LaneScope scope = new LaneScope(Filter.ALL, 3, lane, 0, null, null);
            try (LogReader reader = LogReader.fromBeginning(database, scope).readAll(limit)) {
                assertThat(reader.seqs()).isSorted();
                all.addAll(reader.seqs());
            }
        }
        assertThat(all).hasSize(60).doesNotHaveDuplicates();
    }

    @Test
    void onlyWhatTheFilterWantsIsRead() {
        TestDatabase database = TestDatabase.create();
        database.record(typed("shop", "order.placed", "order"));
        database.record(typed("shop", "order_placed", "order"));
        database.record(typed("shop", "user.made", "user"));
        database.record(typed("bank", "order.paid", null));
        assertThat(keysFor(database, Filter.types("order.*"))).containsExactly("order.placed", "order.paid");
        assertThat(keysFor(database, Filter.types("order_placed"))).containsExactly("order_placed");
        assertThat(keysFor(database, Filter.ALL.aggregateTypes("or*er")))
                .containsExactly("order.placed", "order_placed");
        assertThat(keysFor(database, Filter.types("*").sources("bank"))).containsExactly("order.paid");
    }

    @Test
    void onlyEventsWithTheWantedHeadersAreRead() {
        TestDatabase database = TestDatabase.createOnOldest();
        database.record("none");
        database.record(withTenant("seven", "7"));
        database.record(withTenant("eight", "8"));
        Filter seven = Filter.ALL.header("tenant", "7");
        assertThat(keysFor(database, seven)).containsExactly("seven");
        assertThat(keysFor(database, seven.header("region", "eu"))).isEmpty();
        LaneScope scope = new LaneScope(seven, 1, 0, 0, null, null);
        try (LogReader tail = LogReader.fromBeginning(database, scope).readAll(ALL)) {
            database.record(withTenant("eight again", "8"));
            database.record(withTenant("seven again", "7"));
            assertThat(tail.readAll(ALL).keys()).containsExactly("seven", "seven again");
        }
    }

    @Test
    void theFirstWindowCanBeginAtATime() {
        TestDatabase database = TestDatabase.create();
        database.record("before");
        Instant between =
                Instant.parse(database.value("SELECT to_json(clock_timestamp() AT TIME ZONE 'UTC') #>> '{}'") + "Z");
        database.record("after");
        LaneScope scope = new LaneScope(Filter.ALL, 1, 0, 0, between, null);
        try (LogReader reader = LogReader.fromBeginning(database, scope).readAll(ALL)) {
            assertThat(reader.keys()).containsExactly("after");
        }
    }

    @Test
    void gapsInTheSequenceAreCrossedInStrides() {
        TestDatabase database = TestDatabase.create();
        database.record("one");
        database.execute("SELECT setval('posthorn.event_seq', 320000)");
        database.record("two");
        try (LogReader reader =
                LogReader.fromBeginning(database, LogReader.WHOLE).readAll(ALL)) {
            assertThat(reader.keys()).containsExactly("one", "two");
            assertThat(reader.batches()).isBetween(7, 9);
        }
    }

    @Test
    void rolledBackEventsAreNeverRead() throws SQLException {
        TestDatabase database = TestDatabase.createOnOldest();
        try (Connection connection = database.transaction();
                LogReader reader = new LogReader(database)) {
            record(connection, "undone");
            database.record("done");
            reader.readAll(ALL);
            connection.rollback();
            assertThat(reader.readAll(ALL).keys()).containsExactly("done");
        }
    }

    private List<String> keysFor(TestDatabase database, Filter filter) {
        LaneScope scope = new LaneScope(filter, 1, 0, 0, null, null);
        try (LogReader reader = LogReader.fromBeginning(database, scope).readAll(ALL)) {
            return reader.keys();
        }
    }

    private static void takeTransactionId(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_current_xact_id()");
        }
    }

    private void record(Connection connection, String key) {
        outbox.record(connection, event(key, new byte[1]));
    }

    private static void recordOnce(TestDatabase database, List<String> keys) {
        if (!keys.isEmpty()) {
            database.record(keys.remove(0));
        }
    }

    private static Event event(String key, byte[] payload) {
        return Event.builder()
                .source("test")
                .type("test.happened")
                .key(key)
                .payload(payload)
                .build();
    }

    private static Event withTenant(String key, String tenant) {
        return Event.builder()
                .source("test")
                .type("test.happened")
                .key(key)
                .header("tenant", tenant)
                .json("{}")
                .build();
    }

    private static Event typed(String source, String type, String aggregateType) {
        return Event.builder()
                .source(source)
                .type(type)
                .aggregateType(aggregateType)
                .key(type)
                .json("{}")
                .build();
    }

    /** The data source, with something happening just before a given statement is prepared. */
    private static DataSource beforeStatement(DataSource dataSource, String sql, Runnable happening) {
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (self, method, args) -> {
                    Connection connection = (Connection) invoke(dataSource, method, args);
                    return Proxy.newProxyInstance(
                            Connection.class.getClassLoader(),
                            new Class<?>[] {Connection.class},
                            (it, call, values) -> {
                                if (call.getName().equals("prepareStatement") && values[0].equals(sql)) {
                                    happening.run();
                                }
                                return invoke(connection, call, values);
                            });
                });
    }

    private static Object invoke(Object target, java.lang.reflect.Method method, Object[] args) throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
