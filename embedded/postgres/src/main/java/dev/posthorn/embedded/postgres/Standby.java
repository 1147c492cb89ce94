package dev.posthorn.embedded.postgres;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * A server that follows another one by streaming replication, asynchronously: for trials of what a failover takes back. Needs
 * PostgreSQL 15.
 */
public final class Standby implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration POLL = Duration.ofMillis(5);

    private final EmbeddedPostgres primary;
    private final EmbeddedPostgres server;

    private Standby(EmbeddedPostgres primary, EmbeddedPostgres server) {
        this.primary = primary;
        this.server = server;
    }

    /**
     * Copies the primary while it works and follows it.
     *
     * @param server the stand-by's own port and settings
     */
    public static Standby of(EmbeddedPostgres primary, EmbeddedPostgres.Builder server) {
        Standby standby = new Standby(
                primary,
                server.copying(primary)
                        // It should be back as soon as its primary is.
                        .setting("wal_retrieve_retry_interval", "50ms")
                        .start());
        standby.catchUp();
        return standby;
    }

    public EmbeddedPostgres server() {
        return server;
    }

    /** Waits until it has everything that the primary has on disk now. */
    public void catchUp() {
        String written = one(primary, "SELECT pg_current_wal_flush_lsn()");
        await("SELECT pg_last_wal_replay_lsn() >= '" + written + "'::pg_lsn");
    }

    /** Lets it fall behind from now on. */
    public void disconnect() {
        one(server, "ALTER SYSTEM SET primary_conninfo = ''; SELECT pg_reload_conf()");
        await("SELECT NOT EXISTS (SELECT FROM pg_stat_wal_receiver)");
    }

    /** Makes it a primary of its own, with what it has. The former primary must not be running any more. */
    public EmbeddedPostgres promote() {
        if (primary.isRunning()) {
            throw new IllegalStateException("The primary on port " + primary.port() + " still runs");
        }
        one(server, "SELECT pg_promote()");
        return server;
    }

    private void await(String condition) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!"t".equals(one(server, condition))) {
            if (System.nanoTime() > deadline) {
                throw new EmbeddedPostgresException("Not within " + PATIENCE.toSeconds() + " s on the stand-by in "
                        + server.clusterDirectory() + ": " + condition);
            }
            try {
                Thread.sleep(POLL.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new EmbeddedPostgresException("Interrupted while waiting for a stand-by", e);
            }
        }
    }

    /** The value of the last of these statements. */
    private static String one(EmbeddedPostgres server, String sql) {
        try (Connection connection = server.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            for (boolean rows = statement.execute(sql); !rows; ) {
                rows = statement.getMoreResults();
            }
            try (ResultSet row = statement.getResultSet()) {
                row.next();
                return row.getString(1);
            }
        } catch (SQLException e) {
            throw new EmbeddedPostgresException(
                    "The PostgreSQL in " + server.clusterDirectory() + " did not answer: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
