package dev.posthorn.log;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.posthorn.TestDatabase;
import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SchemaTest {

    private static final int NEWEST = Schema.LOG.version();

    /** Everything in the schema, without times and object ids. */
    private static final String CATALOG = """
            SELECT string_agg(line, chr(10) ORDER BY line COLLATE "C") FROM (
                SELECT format('%s %s %s %s %s %s', c.relname, c.relkind, c.reloptions, a.attname,
                              format_type(a.atttypid, a.atttypmod) || ' ' || a.attnotnull || ' ' || a.attcollation,
                              pg_get_expr(d.adbin, d.adrelid)) AS line
                  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
                  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
                 WHERE c.relnamespace = 'posthorn'::regnamespace
                UNION ALL SELECT pg_get_constraintdef(oid) || conrelid::regclass FROM pg_constraint
                           WHERE connamespace = 'posthorn'::regnamespace
                UNION ALL SELECT pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class c ON c.oid = indexrelid
                           WHERE c.relnamespace = 'posthorn'::regnamespace
                UNION ALL SELECT pg_get_functiondef(oid) || proacl::text FROM pg_proc
                           WHERE pronamespace = 'posthorn'::regnamespace
                UNION ALL SELECT 'partition ' || from_seq || ' ' || to_seq FROM posthorn.event_partition
                UNION ALL SELECT 'version ' || version FROM posthorn.schema_version) AS lines
            """;

    private static TestDatabase database;

    private final Schema schema = new Schema(SchemaName.DEFAULT);

    @BeforeAll
    static void createDatabase() {
        database = TestDatabase.createEmpty();
    }

    @BeforeEach
    void startEmpty() {
        database.execute("DROP SCHEMA IF EXISTS posthorn CASCADE");
    }

    @Test
    void installsOnAnEmptyDatabaseWithAPartitionReady() {
        schema.install(database.dataSource());
        schema.verify(database.dataSource());
        assertThat(database.number("SELECT max(version) FROM posthorn.schema_version"))
                .isEqualTo(NEWEST);
        assertThat(database.number("SELECT count(*) FROM posthorn.schema_version"))
                .isEqualTo(NEWEST);
        database.record("k");
        assertThat(database.number("SELECT count(*) FROM posthorn.event_1")).isOne();
    }

    @Test
    void aSecondInstallChangesNothing() {
        schema.install(database.dataSource());
        String times = database.value("SELECT string_agg(installed_at::text, ' ') FROM posthorn.schema_version");
        String before = database.value(CATALOG);
        schema.install(database.dataSource());
        assertThat(database.value(CATALOG)).isEqualTo(before);
        assertThat(database.value("SELECT string_agg(installed_at::text, ' ') FROM posthorn.schema_version"))
                .isEqualTo(times);
    }

    @ParameterizedTest
    @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
    void instancesThatStartAtOnceInstallItOnce(String isolation) throws Exception {
        DataSource dataSource = database.dataSource(isolation);
        ExecutorService pool = Executors.newFixedThreadPool(8);
        try {
            CyclicBarrier together = new CyclicBarrier(8);
            Callable<Void> start = () -> {
                together.await(60, SECONDS);
                schema.install(dataSource);
                schema.verify(dataSource);
                return null;
            };
            List<Future<Void>> instances = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                instances.add(pool.submit(start));
            }
            for (Future<Void> instance : instances) {
                instance.get(120, SECONDS);
            }
        } finally {
            pool.shutdownNow();
        }
        // Whoever finds the log in use, as by another that stands still after its look, leaves it to the next.
        schema.install(dataSource);
        assertThat(database.number("SELECT count(*) FROM posthorn.event_partition"))
                .isOne();
        assertThat(database.number("SELECT count(*) FROM posthorn.cluster")).isOne();
    }

    /** The look at the version had begun a transaction, whose isolation could not be changed any more. */
    @ParameterizedTest
    @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
    void installsByConnectionsThatDoNotCommitByThemselves(String isolation) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.dataSource(isolation));
        config.setAutoCommit(false);
        config.setMaximumPoolSize(1);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            schema.install(pool);
            schema.install(pool);
            schema.verify(pool);
        }
        assertThat(database.number("SELECT count(*) FROM posthorn.schema_version"))
                .isEqualTo(NEWEST);
    }

    @Test
    void theScriptRunByHandMakesWhatInstallMakes() {
        schema.install(database.dataSource());
        String installed = database.value(CATALOG);
        startEmpty();

        database.execute(schema.script());
        schema.verify(database.dataSource());
        // No partition yet, and still an event finds its place.
        database.record("k");
        assertThat(database.number("SELECT count(*) FROM posthorn.event_default"))
                .isOne();

        startEmpty();
        database.execute(schema.script());
        schema.install(database.dataSource());
        assertThat(database.value(CATALOG)).isEqualTo(installed);
    }

    @Test
    void refusesToWorkWithAMissingSchema() {
        mismatch(() -> schema.verify(database.dataSource()))
                .hasMessage("schema posthorn is not installed; this library needs version " + NEWEST
                        + ". Call Schema.install, or run the script that Schema.script prints");
    }

    @Test
    void refusesToWorkWithAnOlderSchema() {
        firstFiles(1).install(database.dataSource());
        mismatch(() -> schema.verify(database.dataSource()))
                .hasMessageStartingWith("schema posthorn has version 1; this library needs version " + NEWEST
                        + ". Call Schema.install");
    }

    @Test
    void refusesToWorkWithANewerSchemaAndToInstallOverIt() {
        schema.install(database.dataSource());
        database.execute("INSERT INTO posthorn.schema_version VALUES (" + (NEWEST + 1) + ", 'of_tomorrow.sql')");
        String message = "schema posthorn has version " + (NEWEST + 1) + ", made by a newer Posthorn; this one knows "
                + NEWEST + ". Upgrade the library";
        mismatch(() -> schema.verify(database.dataSource())).hasMessage(message);
        mismatch(() -> schema.install(database.dataSource())).hasMessage(message);
    }

    /** Its numbers meant other files: to go on from them would make half a schema. */
    @ParameterizedTest
    @ValueSource(ints = {1, 9, 23})
    void refusesWhatFilesBeforeTheFirstReleaseMade(int version) {
        database.execute("""
                CREATE SCHEMA posthorn;
                CREATE TABLE posthorn.schema_version (
                    version      integer     PRIMARY KEY,
                    installed_at timestamptz NOT NULL DEFAULT clock_timestamp()
                );
                INSERT INTO posthorn.schema_version (version) SELECT generate_series(1, %d)
                """.formatted(version));
        String message = "schema posthorn was made by an unreleased Posthorn, and cannot be upgraded. Drop it with all"
                + " its events (DROP SCHEMA \"posthorn\" CASCADE), or choose another schema, and install again";
        mismatch(() -> schema.verify(database.dataSource())).hasMessage(message);
        mismatch(() -> schema.install(database.dataSource())).hasMessage(message);
        assertThat(database.value("SELECT string_agg(relname, ' ') FROM pg_class"
                        + " WHERE relnamespace = 'posthorn'::regnamespace AND relkind <> 'i'"))
                .isEqualTo("schema_version");

        database.execute("DROP SCHEMA \"posthorn\" CASCADE");
        schema.install(database.dataSource());
    }

    @Test
    void refusesToGoOnFromFilesOfAnotherName() {
        firstFiles(2).install(database.dataSource());
        database.execute("UPDATE posthorn.schema_version SET file = '002_other.sql' WHERE version = 2");
        mismatch(() -> schema.install(database.dataSource()))
                .hasMessageStartingWith("schema posthorn was made by 002_other.sql where this library has"
                        + " 002_cluster.sql, and cannot be upgraded. ");
    }

    @Test
    void twoSchemasLiveSideBySide() {
        Schema other = new Schema(new SchemaName("billing"));
        schema.install(database.dataSource());
        other.install(database.dataSource());
        other.verify(database.dataSource());
        assertThat(other.script()).contains("\"billing\".event").doesNotContain(" posthorn.");
        database.record("k");
        assertThat(database.number("SELECT count(*) FROM billing.event")).isZero();
        assertThat(database.number("SELECT count(*) FROM billing.event_partition"))
                .isOne();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Posthorn", "1st", "a-b", "a b", "a\"b", "a;b", "a.b", "größe", "a\n"})
    void refusesANameThatWouldNeedCare(String name) {
        invalid(name);
    }

    @Test
    void refusesANameOfMoreThan48Characters() {
        invalid("a".repeat(49));
        assertThat(new SchemaName("a".repeat(48)).name()).hasSize(48);
    }

    @Test
    void refusesADatabaseThatIsNotInUtf8() {
        TestDatabase latin =
                TestDatabase.createEmpty("ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'");
        mismatch(() -> schema.install(latin.dataSource()))
                .hasMessage("the database's encoding is LATIN1; Posthorn needs UTF8");
        assertThat(latin.number("SELECT count(*) FROM pg_namespace WHERE nspname = 'posthorn'"))
                .isZero();
    }

    @Test
    void installsOnTheOldestPostgresql() {
        TestDatabase oldest = TestDatabase.createEmptyOnOldest();
        assertThat(oldest.number("SHOW server_version_num")).isBetween(130_000L, 139_999L);
        schema.install(oldest.dataSource());
        schema.install(oldest.dataSource());
        schema.verify(oldest.dataSource());
        oldest.record("k");
        assertThat(oldest.number("SELECT count(*) FROM posthorn.event_1")).isOne();
    }

    /** It failed with the syntax error of the first statement that the server did not know. */
    @Test
    void anOlderPostgresqlAndAnythingElseAreRefusedByName() {
        TestDatabase empty = TestDatabase.createEmpty();
        DataSource old = saying(empty, Map.of("getDatabaseMajorVersion", 12, "getDatabaseProductVersion", "12.22"));
        DataSource other = saying(empty, Map.of("getDatabaseProductName", "H2", "getDatabaseProductVersion", "2.3"));
        for (ThrowingCallable each : List.<ThrowingCallable>of(() -> schema.install(old), () -> schema.verify(old))) {
            assertUnsupported(each, "the database is PostgreSQL 12.22; Posthorn needs PostgreSQL 13 or later");
        }
        assertUnsupported(() -> schema.install(other), "the database is H2 2.3; Posthorn needs PostgreSQL 13 or later");
    }

    private static void assertUnsupported(ThrowingCallable call, String message) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_DATABASE))
                .hasMessage(message);
    }

    /** A real server that gives itself out for another one. */
    private static DataSource saying(TestDatabase of, Map<String, Object> answers) {
        return proxy(
                DataSource.class,
                of.dataSource(),
                Map.of(),
                connection -> proxy(
                        Connection.class,
                        connection,
                        Map.of(),
                        metadata -> proxy(DatabaseMetaData.class, metadata, answers, each -> each)));
    }

    private static <T> T proxy(Class<T> type, Object target, Map<String, Object> answers, UnaryOperator<Object> wrap) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, given) -> {
            if (answers.containsKey(method.getName())) {
                return answers.get(method.getName());
            }
            Object result = method.invoke(target, given);
            return result instanceof Connection || result instanceof DatabaseMetaData ? wrap.apply(result) : result;
        }));
    }

    /** As on some managed servers. */
    @Test
    void worksWithoutTheRightToAskForTheClustersIdentifier() {
        TestDatabase managed = TestDatabase.createEmpty();
        managed.execute("REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC");
        managed.execute("CREATE ROLE tenant_of_" + managed.name() + " LOGIN PASSWORD 'x'");
        managed.execute("GRANT ALL ON DATABASE " + managed.name() + " TO tenant_of_" + managed.name());
        DataSource tenant = managed.dataSource("tenant_of_" + managed.name(), "x");
        new Schema(SchemaName.DEFAULT).install(tenant);
        assertThat(managed.number("SELECT system_identifier FROM posthorn.cluster"))
                .isZero();
        assertThat(isOpened(tenant)).isTrue();

        // What a copy in another cluster looks like: the same row, written by another transaction.
        managed.execute("CREATE TABLE moved AS SELECT * FROM posthorn.cluster");
        managed.execute("DELETE FROM posthorn.cluster");
        managed.execute("INSERT INTO posthorn.cluster SELECT * FROM moved");
        assertThatThrownBy(() -> isOpened(tenant)).hasMessageContaining("were made on another cluster");
        assertThat(new Rebase(tenant, SchemaName.DEFAULT).run()).isTrue();
        assertThat(isOpened(tenant)).isTrue();
        assertThat(new Rebase(tenant, SchemaName.DEFAULT).run()).isFalse();
    }

    private static boolean isOpened(DataSource dataSource) {
        try (Session session = new Session(dataSource, SchemaName.DEFAULT)) {
            return session.query("asking", Sql.of(SchemaName.DEFAULT, "SELECT 1"), Map.of(), rows -> rows.next());
        }
    }

    /** Or a relay could not delete any more once its tables are published. */
    @Test
    void everyTableCanBeReplicated() {
        schema.install(database.dataSource());
        database.execute("CREATE PUBLICATION everything FOR ALL TABLES");
        try {
            String tables = database.value("SELECT string_agg(oid::regclass::text, ' ') FROM pg_class"
                    + " WHERE relnamespace = 'posthorn'::regnamespace AND relkind IN ('r', 'p')"
                    // which is only ever added to
                    + " AND relname <> 'audit'");
            for (String table : List.of(tables.split(" "))) {
                database.execute("DELETE FROM " + table + " WHERE false");
            }
        } finally {
            database.execute("DROP PUBLICATION everything");
        }
    }

    /** As if the others had come with a later version. */
    static Schema firstFiles(int count) {
        Schema.Part log = Schema.LOG;
        return new Schema(
                SchemaName.DEFAULT,
                new Schema.Part(log.versionTable(), log.folder(), log.files().subList(0, count)));
    }

    private static void invalid(String name) {
        assertThatThrownBy(() -> new SchemaName(name))
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_SETTING))
                .hasMessageContaining("schema name '" + name + "' must be lower-case letters");
    }

    private static AbstractThrowableAssert<?, ?> mismatch(ThrowingCallable work) {
        return assertThatThrownBy(work)
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SCHEMA_MISMATCH));
    }
}
