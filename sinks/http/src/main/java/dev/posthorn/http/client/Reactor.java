package dev.posthorn.http.client;

import java.nio.channels.ClosedSelectorException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.reactor.ConnectionInitiator;
import org.apache.hc.core5.reactor.DefaultConnectingIOReactor;
import org.apache.hc.core5.reactor.IOReactorConfig;
import org.apache.hc.core5.reactor.IOReactorStatus;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that read and write for all sinks, as many as there are cores. They never wait for a receiver, and what one
 * connection may take of them at a time is bounded ({@link FairSession}); whatever else a sink may have is its own
 * ({@link ConnectionPool}).
 *
 * <p>It counts its users instead of living as long as the process: whoever closes the last sink, such as an application
 * that is taken out of its container, is left without a thread. They start with the first connection, so that sinks that
 * never get an event cost nothing.
 */
public final class Reactor {

    /** That of the process. */
    public static final Reactor SHARED = new Reactor("posthorn-http-io");

    private static final Logger log = LoggerFactory.getLogger(Reactor.class);

    private final String name;
    private final OpenConnections open = new OpenConnections();
    private final AtomicLong threads = new AtomicLong();
    private int users;
    private volatile @Nullable DefaultConnectingIOReactor running;

    /** @param name how the names of its threads begin */
    public Reactor(String name) {
        this.name = name;
    }

    /** For one more sink. */
    synchronized void join() {
        users++;
    }

    /** For one sink less. */
    synchronized void leave() {
        DefaultConnectingIOReactor last = running;
        if (--users == 0 && last != null) {
            running = null;
            last.close(CloseMode.IMMEDIATE);
        }
    }

    /** Whether there are more connections than are worth keeping while nothing is under way on them. */
    boolean isCrowded() {
        return open.areMany();
    }

    /** To be asked for each connection anew: an error in the library's own code would end a thread of it. */
    ConnectionInitiator initiator() {
        DefaultConnectingIOReactor now = running;
        return now != null && isAlive(now) ? now : started();
    }

    private static boolean isAlive(DefaultConnectingIOReactor reactor) {
        return reactor.getStatus().compareTo(IOReactorStatus.ACTIVE) <= 0;
    }

    private synchronized ConnectionInitiator started() {
        DefaultConnectingIOReactor now = running;
        if (now != null && isAlive(now)) {
            return now;
        }
        if (now != null) {
            now.close(CloseMode.IMMEDIATE);
        }
        DefaultConnectingIOReactor next = new DefaultConnectingIOReactor(
                new HttpProtocols(this::told),
                IOReactorConfig.custom()
                        .setIoThreadCount(Runtime.getRuntime().availableProcessors())
                        .setTcpNoDelay(true)
                        .setSoKeepAlive(true)
                        .build(),
                this::thread,
                FairSession::new,
                this::told,
                open,
                null);
        next.start();
        running = next;
        return next;
    }

    /** That it was closed is no news, nor what its threads stumbled over then. */
    private void told(Exception error) {
        if (running != null && !(error instanceof ClosedSelectorException)) {
            log.error("HTTP connections failed; they are made anew for the next events", error);
        }
    }

    private Thread thread(Runnable work) {
        Thread thread = new Thread(null, work, name + "-" + threads.incrementAndGet(), 0, false);
        thread.setDaemon(true);
        return thread;
    }
}
