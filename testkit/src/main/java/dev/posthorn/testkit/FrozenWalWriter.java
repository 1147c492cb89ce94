package dev.posthorn.testkit;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;

/**
 * The WAL writer of a server, standing still until this is closed or the server is killed. It writes what no commit has
 * waited for every ten seconds at the latest: on a slow machine that is before a test has killed the server to lose it.
 */
public final class FrozenWalWriter implements AutoCloseable {

    private static final String PROCESS =
            "SELECT coalesce(max(pid), 0) FROM pg_stat_activity WHERE backend_type = 'walwriter'";

    private final ProcessHandle process;

    private FrozenWalWriter(ProcessHandle process) {
        this.process = process;
    }

    /** That of the database's server, which must not be asked to stop meanwhile: it would wait for it. */
    public static FrozenWalWriter of(FreshDatabase database) {
        // A server that has just started may not have it yet.
        await().atMost(Duration.ofMinutes(2)).until(() -> database.number(PROCESS) > 0);
        long pid = database.number(PROCESS);
        FrozenWalWriter frozen = new FrozenWalWriter(ProcessHandle.of(pid).orElseThrow());
        frozen.signal("STOP");
        return frozen;
    }

    /** It goes on, if it is still there. */
    @Override
    public void close() {
        if (process.isAlive()) {
            signal("CONT");
        }
    }

    private void signal(String signal) {
        try {
            ChildJvm.signal(signal, process.pid());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
