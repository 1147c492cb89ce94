package dev.posthorn.benchmarks.testbed;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

    /** What Linux counts CPU time in, whatever the kernel's own tick. */
    private static final double MICROS_OF_TICK = 10_000;

    /** Where these stand in /proc/PID/stat after the command's name. */
    private static final int UTIME = 11;

    private static final int CUTIME = 13;

    /** To be called while no session of the benchmark is open: a session reports its rows at the latest when it ends. */
    public static ServerCost now(Server server, Database database)
            throws SQLException, IOException, InterruptedException {
        TimeUnit.MILLISECONDS.sleep(500);
        double cpu = cpuMicros(server.processId());
        return new ServerCost(database.number(ROWS), database.number(WAL), cpu);
    }

    public ServerCost since(ServerCost earlier) {
        return new ServerCost(
                rowsWritten - earlier.rowsWritten, walBytes - earlier.walBytes, cpuMicros - earlier.cpuMicros);
    }

    private static double cpuMicros(long postmaster) throws IOException {
        // Of a process that has ended its parent keeps the sum.
        long ticks = ticks(postmaster, UTIME) + ticks(postmaster, CUTIME);
        for (ProcessHandle child :
                ProcessHandle.of(postmaster).orElseThrow().descendants().toList()) {
            ticks += ticks(child.pid(), UTIME);
        }
        return ticks * MICROS_OF_TICK;
    }

    /** User and system time, which stand side by side. */
    private static long ticks(long pid, int first) throws IOException {
        Path file = Path.of("/proc", Long.toString(pid), "stat");
        if (!Files.exists(file)) {
            return 0;
        }
        String stat = Files.readString(file);
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return Long.parseLong(fields[first]) + Long.parseLong(fields[first + 1]);
    }
}
