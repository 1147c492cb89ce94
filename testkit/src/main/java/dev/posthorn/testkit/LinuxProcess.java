package dev.posthorn.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** What Linux tells of a process. */
public record LinuxProcess(long pid) {

    /** What Linux counts CPU time in, whatever the kernel's own tick. */
    private static final long MILLIS_OF_TICK = 10;

    /** Where utime, stime, cutime and cstime begin in its stat, after the command's name. */
    private static final int TIMES = 11;

    private static final int ALL_TIMES = 4;

    /**
     * What it and those that it started, and they in turn, have used so far. Of one that has ended its parent keeps the sum.
     */
    public Duration cpuOfTree() {
        long ticks = ticks(pid);
        for (ProcessHandle child :
                ProcessHandle.of(pid).orElseThrow().descendants().toList()) {
            ticks += ticks(child.pid());
        }
        return Duration.ofMillis(ticks * MILLIS_OF_TICK);
    }

    private static long ticks(long pid) {
        try {
            String stat = Files.readString(file(pid, "stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            long ticks = 0;
            for (int i = TIMES; i < TIMES + ALL_TIMES; i++) {
                ticks += Long.parseLong(fields[i]);
            }
            return ticks;
        } catch (IOException ended) {
            return 0;
        }
    }

    /** Its memory in RAM. */
    public long residentBytes() throws IOException {
        return status("VmRSS:") << 10;
    }

    public int threads() throws IOException {
        return Math.toIntExact(status("Threads:"));
    }

    private long status(String name) throws IOException {
        return Files.readAllLines(file(pid, "status")).stream()
                .filter(line -> line.startsWith(name))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .sum();
    }

    private static Path file(long pid, String name) {
        return Path.of("/proc", Long.toString(pid), name);
    }
}
