package dev.posthorn.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The reads stay cheap however long the history is. Measured in pages touched, which is exact, and with the plans that
 * the relay's sessions really use: prepared on an empty log, never analyzed.
 */
class LogPlansTest {

    /** A read that touches more pages than this has walked something it should not have. */
    private static final long FEW = 300;

    private static final int HISTORY = 1_000_000;

    private static TestDatabase database;
    private static Connection pinned;
    private static Connection unpinned;
    private static Snapshot beginning;
    private static Snapshot afterHistory;

    @BeforeAll
    static void growALogFromNothing() throws SQLException {
        database = TestDatabase.create();
        beginning = LogReader.now(database);
        new PartitionKeeper(database.dataSource(), SchemaName.DEFAULT, 600_000).keep();
        PartitionKeeper keeper = new PartitionKeeper(database.dataSource(), SchemaName.DEFAULT, 600_000);
        database.execute("SELECT setval('posthorn.event_seq', 500000)");
        keeper.keep();
        database.execute("SELECT setval('posthorn.event_seq', 1, false)");
        for (String partition : partitions()) {
            database.execute("ALTER TABLE posthorn." + partition + " SET (autovacuum_enabled = off)");
        }
        pinned = database.dataSource().getConnection();
        unpinned = database.dataSource().getConnection();
        execute(pinned, Link.pinning());
        execute(unpinned, "SET plan_cache_mode = force_generic_plan");
        for (Connection connection : List.of(pinned, unpinned)) {
            prepare(connection, "tail", statements().tail);
            pages(connection, "tail", statements().tail, Map.of("a", beginning));
        }
        insert(HISTORY);
        afterHistory = LogReader.now(database);
        insert(100);
    }

    private static List<String> partitions() {
        return Stream.of(database.value("SELECT string_agg(c.relname, ',') FROM pg_inherits i JOIN pg_class c"
                                + " ON c.oid = i.inhrelid WHERE i.inhparent = 'posthorn.event'::regclass")
                        .split(","))
                .toList();
    }

    private static void insert(int count) {
        database.execute("""
                INSERT INTO posthorn.event (id, source, type, version, key, content_type, payload, occurred_at)
                SELECT gen_random_uuid(), 's', 't', 1, i::text, 'a/b', '\\x00', now() FROM generate_series(1, %d) i
                """.formatted(count));
    }

    @Test
    void aPollOfALogThatGrewFromNothingTouchesFewPages() throws SQLException {
        Sql tail = statements().tail;
        assertThat(pages(pinned, "tail", tail, Map.of("a", afterHistory))).isLessThan(FEW);
        assertThat(pages(unpinned, "tail", tail, Map.of("a", afterHistory)))
                .as("without the pinned settings")
                .isGreaterThan(FEW);
    }

    @Test
    void aGiantWindowIsNotSortedToFindItsFirstBatch() throws SQLException {
        assertThat(pages(pinned, "tail", statements().tail, Map.of("a", beginning)))
                .isLessThan(FEW);
    }

    @Test
    void aWalkEndsWithItsWindow() throws Exception {
        Cursor.Inside early = Cursor.Inside.of(new Window(Snapshot.NOTHING, beginning), 10);
        try (Session session = new Session(database.dataSource(), SchemaName.DEFAULT)) {
            Map<String, Object> values = new PostgresLog(session, LogReader.WHOLE)
                    .walkValues(early, new Cursor.Bounds(1, 60), 1000, 1 << 24);
            assertThat(pagesOf(statements().walk, values)).isLessThan(FEW);
        }
    }

    @Test
    void theBoundsOfASmallWindowAreFoundWithoutWalkingTheHistory() throws Exception {
        Map<String, Object> values = Map.of("a", afterHistory, "b", LogReader.now(database));
        assertThat(pagesOf(statements().bounds, values)).isLessThan(FEW);
    }

    @Test
    void aStragglerIsFoundWithoutWalkingTheHistory() throws Exception {
        long straggler = Long.parseLong(database.value("SELECT max(txid::text::bigint) FROM posthorn.event"));
        Map<String, Object> values = Map.of(
                "a",
                new Snapshot(straggler + ":" + (straggler + 1) + ":" + straggler),
                "b",
                LogReader.now(database),
                "after",
                2_000_000L,
                "to",
                2_000_001L);
        assertThat(pagesOf(statements().walk, values)).isLessThan(FEW);
    }

    private static long pagesOf(Sql sql, Map<String, Object> values) throws SQLException {
        String name = "q" + Integer.toHexString(sql.text().hashCode());
        prepare(pinned, name, sql);
        try {
            return pages(pinned, name, sql, values);
        } finally {
            execute(pinned, "DEALLOCATE " + name);
        }
    }

    private static LogStatements statements() {
        return new LogStatements(SchemaName.DEFAULT, LogStatements.Shape.of(LogReader.WHOLE));
    }

    private static void prepare(Connection connection, String name, Sql sql) throws SQLException {
        String text = sql.text();
        for (int i = 1; i <= sql.names().size(); i++) {
            text = text.replaceFirst("\\?", Matcher.quoteReplacement("$" + i));
        }
        execute(connection, "PREPARE " + name + " AS " + text);
    }

    private static long pages(Connection connection, String name, Sql sql, Map<String, Object> given)
            throws SQLException {
        Map<String, Object> values = new HashMap<>(Map.of(
                "limit", 1000, "bytes", 1L << 24, "floor", 0L, "straggler_after", 0L, "straggler_to", Long.MAX_VALUE));
        values.putAll(given);
        List<String> arguments = new ArrayList<>();
        for (String value : sql.names()) {
            Object argument = values.get(value);
            arguments.add(argument instanceof Number ? argument.toString() : "'" + argument + "'");
        }
        try (Statement statement = connection.createStatement();
                ResultSet plan = statement.executeQuery("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE " + name + "("
                        + String.join(", ", arguments) + ")")) {
            plan.next();
            String json = plan.getString(1);
            return first("Shared Hit Blocks", json) + first("Shared Read Blocks", json);
        }
    }

    /** The first figure is that of the whole plan. */
    private static long first(String field, String json) {
        Matcher matcher = Pattern.compile("\"" + field + "\": (\\d+)").matcher(json);
        assertThat(matcher.find()).isTrue();
        return Long.parseLong(matcher.group(1));
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
