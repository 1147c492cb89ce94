package dev.posthorn.faults.crash;

import dev.posthorn.faults.harness.Crew;
import dev.posthorn.faults.harness.Database;
import dev.posthorn.faults.harness.Tally;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Transactions that take an id and are rolled back, all the time: the ids that a crash takes back. */
final class Churn {

    private static final String ROLLED_BACK = "BEGIN; SELECT pg_current_xact_id(); ROLLBACK;".repeat(10);

    private final Database database;
    private final Tally tally;
    private final Crew crew = new Crew();
    private long latest;
    private volatile boolean resting;
    private volatile boolean stopping;

    Churn(Database database, Tally tally) {
        this.database = database;
        this.tally = tally;
        crew.start("churn", this::churn);
    }

    private void churn() throws InterruptedException {
        while (!stopping) {
            try (Connection connection = database.dataSource().getConnection();
                    Statement statement = connection.createStatement()) {
                while (!stopping) {
                    if (!resting) {
                        rollBack(statement);
                    }
                    TimeUnit.MILLISECONDS.sleep(2);
                }
            } catch (SQLException serverIsDead) {
                TimeUnit.MILLISECONDS.sleep(5);
            }
        }
    }

    private void rollBack(Statement statement) throws SQLException {
        boolean rows = statement.execute(ROLLED_BACK);
        while (rows || statement.getUpdateCount() >= 0) {
            if (rows) {
                try (ResultSet row = statement.getResultSet()) {
                    row.next();
                    note(row.getLong(1));
                }
            }
            rows = statement.getMoreResults();
        }
    }

    private void note(long id) {
        if (id <= latest) {
            tally.add(CrashReport.IDS, latest - id + 1);
        }
        latest = id;
    }

    /** Rolls back many times, and tells whether none of that is on the disk so long afterwards. */
    boolean staysInMemory(Duration time) throws SQLException, InterruptedException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(ROLLED_BACK.repeat(20));
            String end = one(statement, "SELECT pg_current_wal_insert_lsn()");
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
            return one(statement, "SELECT pg_current_wal_flush_lsn() < '" + end + "'")
                    .equals("t");
        }
    }

    private static String one(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    /** Takes no ids for a while: they are to be others'. */
    void rest(boolean now) {
        resting = now;
    }

    void stop() {
        stopping = true;
        crew.join();
    }
}
