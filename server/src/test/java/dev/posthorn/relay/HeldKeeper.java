package dev.posthorn.relay;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * A relay whose lease keeper is kept in the middle of a pass, by a lock on the row of its session, so that it can be
 * seen whether it is asked to look meanwhile. Not for long: it gives up a connection that does not answer.
 */
public final class HeldKeeper implements AutoCloseable {

    private static final String LOCK = "SELECT id FROM posthorn.session FOR UPDATE";
    private static final String IS_WAITING =
            "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid)))";

    private final Relay relay;
    private final Connection connection;
    private int before;

    private HeldKeeper(Relay relay, Connection connection) {
        this.relay = relay;
        this.connection = connection;
    }

    public static HeldKeeper of(Relay relay, DataSource database) throws SQLException {
        HeldKeeper held = new HeldKeeper(relay, database.getConnection());
        held.connection.setAutoCommit(false);
        held.query(LOCK);
        relay.tend();
        await().atMost(60, SECONDS).until(() -> held.query(IS_WAITING));
        held.before = relay.timesAskedToLook();
        return held;
    }

    private boolean query(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() && "t".equals(rows.getString(1));
        }
    }

    /** Whether it was asked to look since it is kept. */
    public boolean wasAsked() {
        return relay.timesAskedToLook() > before;
    }

    @Override
    public void close() throws SQLException {
        connection.rollback();
        connection.close();
    }
}
