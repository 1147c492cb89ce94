package dev.posthorn.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.postgresql.ds.PGSimpleDataSource;

/** The embedded PostgreSQL of a hub, seen from outside. */
public final class OwnPostgres {

    private static final Duration LAST_PROCESSES_GO = Duration.ofSeconds(10);
    private static final Duration POLL = Duration.ofMillis(5);
    private static final int PORT_LINE = 3;

    private final Path directory;

    /**
     * @param data of the hub
     */
    public OwnPostgres(Path data) {
        this.directory = data.resolve("postgres");
    }

    private Path cluster() {
        return directory.resolve("data");
    }

    /** As it listens now: each start of the hub takes another port. */
    public PGSimpleDataSource dataSource() throws IOException {
        int port = Integer.parseInt(pidFile().get(PORT_LINE).strip());
        String password = Files.readString(directory.resolve("posthorn.password"));
        return new DatabaseServer(port, "postgres", password).dataSource("postgres");
    }

    private List<String> pidFile() throws IOException {
        return Files.readAllLines(cluster().resolve("postmaster.pid"));
    }

    /** SIGKILL to the server and all its processes; the server first, since it would answer a child's death. */
    public void kill() throws IOException, InterruptedException {
        long pid = Long.parseLong(pidFile().get(0).strip());
        ProcessHandle server = ProcessHandle.of(pid)
                .orElseThrow(() -> new IllegalStateException("there is no PostgreSQL with the process id " + pid));
        List<ProcessHandle> others = processes();
        server.destroyForcibly();
        others.forEach(ProcessHandle::destroyForcibly);
        sweep(pid);
    }

    /** What was forked meanwhile, too. A new server, which the hub may have started already, is left alone. */
    private void sweep(long killed) throws IOException, InterruptedException {
        long giveUpAt = System.nanoTime() + LAST_PROCESSES_GO.toNanos();
        while (System.nanoTime() < giveUpAt && isTheLastServer(killed)) {
            List<ProcessHandle> rest = processes();
            if (rest.isEmpty()) {
                return;
            }
            rest.forEach(ProcessHandle::destroyForcibly);
            TimeUnit.NANOSECONDS.sleep(POLL.toNanos());
        }
    }

    /** A server that starts takes the file of the last one away and writes its own. */
    private boolean isTheLastServer(long pid) throws IOException {
        try {
            List<String> lines = pidFile();
            String first = lines.isEmpty() ? "" : lines.get(0);
            return first.strip().equals(Long.toString(pid));
        } catch (NoSuchFileException beingReplaced) {
            return false;
        }
    }

    public boolean isGone() {
        return processes().isEmpty();
    }

    /** Returns when its files are nobody's any more. */
    public void killWhatIsLeft() {
        for (List<ProcessHandle> rest = processes(); !rest.isEmpty(); rest = processes()) {
            rest.forEach(ProcessHandle::destroyForcibly);
            // Not their exit: whose parent is gone may stay on as a zombie, which has no files.
            LockSupport.parkNanos(POLL.toNanos());
        }
    }

    private List<ProcessHandle> processes() {
        return ProcessHandle.allProcesses().filter(this::worksHere).toList();
    }

    private boolean worksHere(ProcessHandle process) {
        try {
            return Files.readSymbolicLink(Path.of("/proc", Long.toString(process.pid()), "cwd"))
                    .equals(cluster().toRealPath());
        } catch (IOException gone) {
            return false;
        }
    }
}
