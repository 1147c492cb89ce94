package dev.posthorn.server.web;

import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.coyote.Processor;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;

/**
 * Tomcat's protocol, which also closes connections that only take up room. Tomcat alone waits for ever for headers of
 * which a byte comes now and then, and once it has as many connections as it may, it lets nobody in until one ends.
 */
public final class TidyProtocol extends Http11NioProtocol {

    /** So long may headers take. */
    private static final Duration HEADERS = Duration.ofSeconds(10);

    /** So long where three quarters of the connections are taken, and so long may one be idle then. */
    private static final Duration CROWDED = Duration.ofSeconds(1);

    private static final Duration NEVER = Duration.ofNanos(-1);

    private @Nullable ScheduledFuture<?> tidying;

    public TidyProtocol() {
        super(new Door());
    }

    @Override
    public void start() throws Exception {
        super.start();
        tidying = getUtilityExecutor().scheduleWithFixedDelay(this::tidy, 1, 1, TimeUnit.SECONDS);
    }

    @Override
    public void stop() throws Exception {
        if (tidying != null) {
            tidying.cancel(false);
        }
        super.stop();
    }

    private void tidy() {
        Duration most = getEndpoint() instanceof Door door && door.isCrowded() ? CROWDED : HEADERS;
        for (SocketWrapperBase<NioChannel> each : getEndpoint().getConnections()) {
            closeIf(each, connection -> isInTheWay(connection, most));
        }
    }

    private static void closeIf(
            SocketWrapperBase<NioChannel> connection, Predicate<SocketWrapperBase<NioChannel>> condition) {
        // Whoever works on a request has the lock.
        if (connection.getLock().tryLock()) {
            try {
                if (condition.test(connection)) {
                    connection.close();
                }
            } finally {
                connection.getLock().unlock();
            }
        }
    }

    private static boolean isInTheWay(SocketWrapperBase<NioChannel> connection, Duration most) {
        boolean begun = connection.getCurrentProcessor() instanceof Processor;
        return (begun || most.equals(CROWDED)) && waits(connection).compareTo(most) > 0;
    }

    /** For how long it has been idle, or has not said the whole of its headers; negative if it does neither. */
    private static Duration waits(SocketWrapperBase<NioChannel> connection) {
        if (connection.getCurrentProcessor() instanceof Processor begun) {
            long since = begun.isUpgrade() || begun.isAsync()
                    ? -1
                    : begun.getRequest().getStartTimeNanos();
            return since < 0 ? NEVER : Duration.ofNanos(System.nanoTime() - since);
        }
        return connection instanceof NioSocketWrapper idle
                ? Duration.ofMillis(System.currentTimeMillis() - idle.getLastRead())
                : NEVER;
    }

    /**
     * Lets everybody in. Where three quarters of the connections are taken, those that have waited longest make room
     * before the next one is served: a crowd that comes again as soon as it is sent away would fill every gap that is
     * made now and then.
     */
    private static final class Door extends NioEndpoint {

        /** So many of the connections go at a time, so that not every newcomer looks at all of them. */
        private static final int PORTION = 16;

        boolean isCrowded() {
            return getMaxConnections() > 0 && getConnectionCount() > getMaxConnections() * 3L / 4;
        }

        @Override
        protected boolean setSocketOptions(SocketChannel newcomer) {
            if (isCrowded()) {
                makeRoom();
            }
            return super.setSocketOptions(newcomer);
        }

        private void makeRoom() {
            record Waiting(SocketWrapperBase<NioChannel> connection, Duration since) {}
            getConnections().stream()
                    .map(each -> new Waiting(each, waits(each)))
                    .filter(each -> !each.since().isNegative())
                    .sorted(Comparator.comparing(Waiting::since).reversed())
                    .limit(Math.max(1, getMaxConnections() / PORTION))
                    .forEach(each ->
                            closeIf(each.connection(), still -> !waits(still).isNegative()));
        }
    }
}
