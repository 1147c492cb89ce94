package dev.posthorn.http.client;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hc.core5.reactor.IOSession;
import org.apache.hc.core5.reactor.IOSessionListener;

/** How many connections the sinks of a process have open, all together. */
final class OpenConnections implements IOSessionListener {

    /** What one may cost: the library keeps some 25 kB for each, and TLS about as much again. */
    private static final long BYTES_EACH = 256 << 10;

    private static final int LEAST = 256;
    private static final int MOST = 16_384;

    private final AtomicInteger open = new AtomicInteger();
    private final long most =
            Math.max(LEAST, Math.min(MOST, Runtime.getRuntime().maxMemory() / BYTES_EACH));

    /** Whether there are so many that none is worth keeping for a request that may come. */
    boolean areMany() {
        return open.get() > most;
    }

    @Override
    public void connected(IOSession session) {
        open.incrementAndGet();
    }

    @Override
    public void disconnected(IOSession session) {
        open.decrementAndGet();
    }

    @Override
    public void startTls(IOSession session) {}

    @Override
    public void inputReady(IOSession session) {}

    @Override
    public void outputReady(IOSession session) {}

    @Override
    public void timeout(IOSession session) {}

    @Override
    public void exception(IOSession session, Exception error) {}
}
