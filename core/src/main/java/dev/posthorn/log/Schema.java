package dev.posthorn.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Posthorn's tables, or those of something built on it. They are plain numbered {@code .sql} files; {@link #install} brings a database up to the newest,
 * {@link #script} prints them for people who run their own migrations.
 */
public final class Schema {

    private static final Logger log = LoggerFactory.getLogger(Schema.class);

    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final int TRIES = 30;

    /** As its driver names it. Others speak its protocol and name it so too; what they lack, they tell themselves. */
    private static final String POSTGRESQL = "PostgreSQL";

    private static final int OLDEST_POSTGRESQL = 13;

    private static final String CREATE = """
            CREATE SCHEMA IF NOT EXISTS posthorn;
            CREATE TABLE IF NOT EXISTS posthorn.{versions} (
                version      integer     PRIMARY KEY,
                file         text        NOT NULL,
                installed_at timestamptz NOT NULL DEFAULT clock_timestamp()
            );
            """;

    /** The tables that all others stand on. */
    static final Part LOG = new Part(
            "schema_version",
            "/dev/posthorn/schema/",
            List.of(
                    "001_log.sql",
                    "002_cluster.sql",
                    "003_subscriptions.sql",
                    "004_delivery.sql",
                    "005_replay.sql",
                    "006_inbox.sql",
                    "007_retention.sql",
                    "008_status.sql",
                    "009_audit.sql"));

    private final SchemaName name;
    private final Part part;

    public Schema(SchemaName name) {
        this(name, LOG);
    }

    /** Tables of something built on this library, with a version of their own. */
    public Schema(SchemaName name, Part part) {
        this.name = name;
        this.part = part;
    }

    /**
     * Tables that are versioned together.
     *
     * @param versionTable the table that says which files were run
     * @param folder where the files are on the class path, with a slash at both ends
     * @param files in the order in which they are run
     */
    public record Part(String versionTable, String folder, List<String> files) {

        public Part {
            files = List.copyOf(files);
        }

        int version() {
            return files.size();
        }
    }

    /**
     * Installs or upgrades. Safe when several instances start at once (one does it, the others wait for it) and on a
     * live system (it gives up waiting for a lock before others have to queue behind it, and tries again).
     */
    public void install(DataSource dataSource) {
        for (int attempt = 1; ; attempt++) {
            try {
                // The look at the version is over then when the upgrade says what its own transaction is like.
                BorrowedConnection.statements(dataSource, BorrowedConnection.HOURS, this::upgradeIfOlder);
                break;
            } catch (SQLException e) {
                if (!LOCK_NOT_AVAILABLE.equals(e.getSQLState()) || attempt == TRIES) {
                    throw PosthornException.database("installing schema " + name, e);
                }
                log.info("Schema {}: a table is in use, trying again ({} of {})", name, attempt, TRIES);
            }
        }
        if (part.versionTable().equals(LOG.versionTable())) {
            new PartitionKeeper(dataSource, name).keep();
        }
    }

    /** Refuses a database whose schema is missing, older or newer than this library. */
    public void verify(DataSource dataSource) {
        try {
            int version = BorrowedConnection.use(dataSource, BorrowedConnection.SECONDS, this::version);
            refuseNewer(version);
            if (version != part.version()) {
                throw new PosthornException(
                        ErrorCode.SCHEMA_MISMATCH,
                        (version == 0
                                        ? "schema " + name + " is not installed"
                                        : "schema " + name + " has version " + version)
                                + "; this library needs version " + part.version()
                                + ". Call Schema.install, or run the script that Schema.script prints");
            }
        } catch (SQLException e) {
            throw PosthornException.database("looking at schema " + name, e);
        }
    }

    /** All of it as one script, to be read and run by hand. */
    public String script() {
        StringBuilder script = new StringBuilder(create());
        for (int version = 1; version <= part.version(); version++) {
            script.append('\n')
                    .append(file(part.files().get(version - 1)))
                    .append('\n')
                    .append(recorded(version));
        }
        return name.apply(script.toString());
    }

    /** Roles with the least privilege for writers and relays, to be read, adapted and run by hand. */
    public String roles() {
        return name.apply(file("roles.sql"));
    }

    private boolean upgradeIfOlder(Connection connection) throws SQLException {
        boolean older = version(connection) != part.version();
        if (older) {
            upgrade(connection);
        }
        return older;
    }

    private void upgrade(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            // Whoever waited for another instance has to see afterwards what that one did.
            statement.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '2s'");
            lockAgainstOtherInstances(connection);
            requireUtf8(statement);
            statement.execute(name.apply(create()));
            int from = version(connection);
            refuseNewer(from);
            for (int version = from + 1; version <= part.version(); version++) {
                statement.execute(name.apply(file(part.files().get(version - 1)) + recorded(version)));
                log.info("Schema {}: installed version {}", name, version);
            }
            connection.commit();
        } catch (SQLException | RuntimeException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private void refuseNewer(int version) {
        if (version > part.version()) {
            throw new PosthornException(
                    ErrorCode.SCHEMA_MISMATCH,
                    "schema " + name + " has version " + version + ", made by a newer Posthorn; this one knows "
                            + part.version() + ". Upgrade the library");
        }
    }

    private void refuseOther(int version, @Nullable String file) {
        if (version < part.version() && !part.files().get(version).equals(file)) {
            throw new PosthornException(
                    ErrorCode.SCHEMA_MISMATCH,
                    "schema " + name + " was made by "
                            + (file == null
                                    ? "an unreleased Posthorn"
                                    : file + " where this library has "
                                            + part.files().get(version))
                            + ", and cannot be upgraded. Drop it with all its events ("
                            + name.apply("DROP SCHEMA posthorn CASCADE")
                            + "), or choose another schema, and install again");
        }
    }

    private void lockAgainstOtherInstances(Connection connection) throws SQLException {
        try (PreparedStatement lock =
                connection.prepareStatement("SELECT pg_advisory_xact_lock(hashtextextended('install ' || ?, 0))")) {
            lock.setString(1, name.name());
            lock.execute();
        }
    }

    /** The hash of a key is one of its bytes, and Java's strings are UTF-8 on the wire. */
    private void requireUtf8(Statement statement) throws SQLException {
        try (ResultSet encoding = statement.executeQuery("SHOW server_encoding")) {
            encoding.next();
            if (!"UTF8".equals(encoding.getString(1))) {
                throw new PosthornException(
                        ErrorCode.SCHEMA_MISMATCH,
                        "the database's encoding is " + encoding.getString(1) + "; Posthorn needs UTF8");
            }
        }
    }

    /** Anything else answers with a syntax error, from which nobody could tell what is wrong. */
    private static void requirePostgres(Connection connection) throws SQLException {
        DatabaseMetaData server = connection.getMetaData();
        if (!POSTGRESQL.equals(server.getDatabaseProductName())
                || server.getDatabaseMajorVersion() < OLDEST_POSTGRESQL) {
            throw new PosthornException(
                    ErrorCode.UNSUPPORTED_DATABASE,
                    "the database is " + server.getDatabaseProductName() + " " + server.getDatabaseProductVersion()
                            + "; Posthorn needs PostgreSQL " + OLDEST_POSTGRESQL + " or later");
        }
    }

    /** How many of the files were run. What other files made is refused: these do not go on where those ended. */
    private int version(Connection connection) throws SQLException {
        requirePostgres(connection);
        try (Statement statement = connection.createStatement()) {
            try (ResultSet found = statement.executeQuery(
                    name.apply("SELECT to_regclass('posthorn." + part.versionTable() + "') IS NOT NULL"))) {
                found.next();
                if (!found.getBoolean(1)) {
                    return 0;
                }
            }
            // By way of JSON: null where the table has no such column, as before the first release.
            try (ResultSet run = statement.executeQuery(name.apply(
                    "SELECT to_jsonb(v) ->> 'file' FROM posthorn." + part.versionTable() + " v ORDER BY version"))) {
                int version = 0;
                for (; run.next(); version++) {
                    refuseOther(version, run.getString(1));
                }
                return version;
            }
        }
    }

    private String create() {
        return CREATE.replace("{versions}", part.versionTable());
    }

    private String recorded(int version) {
        return "INSERT INTO posthorn.%s (version, file) VALUES (%d, '%s');\n"
                .formatted(part.versionTable(), version, part.files().get(version - 1));
    }

    private String file(String file) {
        try (InputStream in = Schema.class.getResourceAsStream(part.folder() + file)) {
            if (in == null) {
                throw new IllegalStateException("schema file " + part.folder() + file + " is missing from the jar");
            }
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
