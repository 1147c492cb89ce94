package dev.posthorn.benchmarks.testbed;

import dev.posthorn.testkit.LinuxProcess;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;

/**
 * What the PostgreSQL server has done so far: rows written in Posthorn's tables, bytes of WAL, and CPU time of all its
 * processes, those that have ended included.
 */
public record ServerCost(long rowsWritten, long walBytes, double cpuMicros) {

    private static final String ROWS =
            "SELECT sum(n_tup_ins + n_tup_upd + n_tup_del)::bigint FROM pg_stat_user_tables WHERE schemaname = 'posthorn'";

    private static final String WAL = "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn";

    /** To be called while no session of the benchmark is open: a session reports its rows at the latest when it ends. */
    public static ServerCost now(Server server, Database database) throws SQLException, InterruptedException {
        TimeUnit.MILLISECONDS.sleep(500);
        double cpu = new LinuxProcess(server.processId()).cpuOfTree().toNanos() / 1e3;
        return new ServerCost(database.number(ROWS), database.number(WAL), cpu);
    }

    public ServerCost since(ServerCost earlier) {
        return new ServerCost(
                rowsWritten - earlier.rowsWritten, walBytes - earlier.walBytes, cpuMicros - earlier.cpuMicros);
    }
}
