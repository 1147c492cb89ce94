package dev.posthorn.http.client;

import dev.posthorn.http.address.HostResolver;
import java.time.Duration;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.TlsConfig;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManager;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder;
import org.apache.hc.client5.http.nio.AsyncConnectionEndpoint;
import org.apache.hc.client5.http.ssl.ClientTlsStrategyBuilder;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * One sink's connections from its first channel to its last, with limits and settings of its own: as many as it may have
 * requests under way, made when a request needs one, and closed when none has for a while.
 */
final class ConnectionPool {

    private static final Duration LONGEST_HANDSHAKE = Duration.ofSeconds(10);

    /** A little more than the time after which a packet that got no answer is sent again. */
    private static final Duration LEAST_CONNECT = Duration.ofMillis(1200);

    /** So that a receiver that moved to another address is found there. */
    private static final TimeValue OLDEST_CONNECTION = TimeValue.ofMinutes(5);

    /** While there are too many, one that is not needed at once gives its room to another. */
    private static final Duration IDLE_IN_A_CROWD = Duration.ofMillis(100);

    /** Shorter than the time after which the first of the common servers and balancers close an idle connection. */
    private static final TimeValue CHECKED_AFTER = TimeValue.ofSeconds(1);

    private final ClientSettings settings;
    private final Duration timeout;
    private final Reactor reactor;
    private final Sessions sessions;
    private final PoolingAsyncClientConnectionManager connections;
    private Timer.@Nullable Task sweep;
    private Timer.@Nullable Task sweepOfCrowd;
    private boolean closed;

    ConnectionPool(ClientSettings settings, HostResolver hosts, Duration timeout, Reactor reactor) {
        this.settings = settings;
        this.timeout = timeout;
        this.reactor = reactor;
        this.sessions = new Sessions(reactor);
        this.connections = PoolingAsyncClientConnectionManagerBuilder.create()
                .setTlsStrategy(new HandshakeTimeout(
                        ClientTlsStrategyBuilder.create()
                                .setSslContext(settings.tls())
                                .buildAsync(),
                        longestHandshake()))
                .setDnsResolver(hosts.dns())
                // One more for tokens.
                .setMaxConnTotal(settings.concurrency() + 1)
                .setMaxConnPerRoute(settings.concurrency() + 1)
                .setMessageMultiplexing(true)
                .setDefaultConnectionConfig(ConnectionConfig.custom()
                        .setConnectTimeout(Timeout.of(longestConnect()))
                        .setTimeToLive(OLDEST_CONNECTION)
                        .setIdleTimeout(Timeout.of(settings.idle()))
                        .setValidateAfterInactivity(CHECKED_AFTER)
                        .build())
                .setDefaultTlsConfig(TlsConfig.custom()
                        .setHandshakeTimeout(Timeout.of(longestHandshake()))
                        .setVersionPolicy(
                                settings.once() ? HttpVersionPolicy.FORCE_HTTP_1 : HttpVersionPolicy.NEGOTIATE)
                        .build())
                .build();
    }

    /**
     * A quarter of the time, so that there is some for a third address; a second at least, in which a first packet that
     * was lost is sent again, if that leaves half.
     */
    private Duration longestConnect() {
        return longer(shorter(timeout.dividedBy(4), LONGEST_HANDSHAKE), shorter(longestHandshake(), LEAST_CONNECT));
    }

    private Duration longestHandshake() {
        return shorter(timeout.dividedBy(2), LONGEST_HANDSHAKE);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? other : one;
    }

    /** A place for a connection there, connected or not, as soon as one is free. */
    @SuppressWarnings("FutureReturnValueIgnored") // The callback is told.
    void lease(HttpRoute route, FutureCallback<AsyncConnectionEndpoint> callback) {
        connections.lease("", route, null, Timeout.of(timeout), callback);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // The callback is told.
    void connect(AsyncConnectionEndpoint place, HttpContext context, FutureCallback<AsyncConnectionEndpoint> callback) {
        planSweep();
        connections.connect(place, sessions, null, null, context, callback);
    }

    /** Shakes hands through a tunnel. */
    void secure(AsyncConnectionEndpoint place, HttpContext context, FutureCallback<AsyncConnectionEndpoint> callback) {
        connections.upgrade(place, null, context, callback);
    }

    /** For the next request: not for long, if the sinks of the process have too many connections. */
    void giveBack(AsyncConnectionEndpoint place, TimeValue keep) {
        if (settings.once()) {
            // How a connection ends that was used before tells nothing certain about the request that came after.
            discard(place, CloseMode.GRACEFUL);
            return;
        }
        connections.release(place, null, keep);
        if (reactor.isCrowded()) {
            planSweepOfCrowd();
        }
    }

    /** Closes the connection, if there is one, and leaves the place to another. */
    void discard(AsyncConnectionEndpoint place, CloseMode mode) {
        place.close(mode);
        connections.release(place, null, TimeValue.ZERO_MILLISECONDS);
    }

    /** While there are connections, and only then: an idle sink has no timer either. */
    private synchronized void planSweep() {
        if (sweep == null && !closed) {
            sweep = Timer.after(settings.idle().toNanos() / 4, this::sweep);
        }
    }

    private void sweep() {
        close(settings.idle());
        connections.closeExpired();
        synchronized (this) {
            sweep = null;
            if (!sessions.isEmpty()) {
                planSweep();
            }
        }
    }

    private synchronized void planSweepOfCrowd() {
        if (sweepOfCrowd == null && !closed) {
            sweepOfCrowd = Timer.after(IDLE_IN_A_CROWD.toNanos(), this::sweepOfCrowd);
        }
    }

    private void sweepOfCrowd() {
        synchronized (this) {
            sweepOfCrowd = null;
        }
        if (reactor.isCrowded()) {
            close(IDLE_IN_A_CROWD);
            if (!sessions.isEmpty()) {
                planSweepOfCrowd();
            }
        }
    }

    private void close(Duration idle) {
        connections.closeIdle(TimeValue.of(idle));
    }

    /** At once, whatever is under way. */
    void close() {
        synchronized (this) {
            closed = true;
            Stream.of(sweep, sweepOfCrowd).filter(Objects::nonNull).forEach(Timer.Task::cancel);
        }
        connections.close(CloseMode.IMMEDIATE);
        sessions.close();
    }
}
