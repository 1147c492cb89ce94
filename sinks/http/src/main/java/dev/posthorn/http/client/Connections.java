package dev.posthorn.http.client;

import dev.posthorn.http.address.HostResolver;
import dev.posthorn.http.address.Target;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.URIScheme;
import org.jspecify.annotations.Nullable;

/**
 * How a sink reaches receivers. Its threads are those of all sinks, its connections its own: whatever a receiver does is
 * felt by its own subscription alone.
 */
public final class Connections {

    private final ClientSettings settings;
    private final HostResolver hosts;
    private final Reactor reactor;
    private int users;
    private volatile @Nullable ConnectionPool pool;

    public Connections(ClientSettings settings, HostResolver hosts, Reactor reactor) {
        this.settings = settings;
        this.hosts = hosts;
        this.reactor = reactor;
    }

    /** For one more channel. */
    public synchronized void open(Duration timeout) {
        if (users++ == 0) {
            reactor.join();
            pool = new ConnectionPool(settings, hosts, timeout, reactor);
        }
    }

    /** For one channel less. */
    public synchronized void close() {
        if (--users == 0) {
            ConnectionPool last = Objects.requireNonNull(pool);
            pool = null;
            last.close();
            reactor.leave();
        }
    }

    /** Null if there is no channel any more. */
    @Nullable
    ConnectionPool pool() {
        return pool;
    }

    /** Finds the host that is connected to for a request there: its own, or the proxy's. */
    public void resolve(Target to, Consumer<HostResolver.Result> then) {
        Target proxy = settings.proxy();
        hosts.whenKnown((proxy == null ? to : proxy).host(), then);
    }

    /** The way there, through the proxy if there is one: by a tunnel, if it is to be a secret to it. */
    public HttpRoute route(Target to) {
        HttpHost target = to.httpHost();
        boolean secure = URIScheme.HTTPS.same(target.getSchemeName());
        Target proxy = settings.proxy();
        return proxy == null
                ? new HttpRoute(target, null, secure)
                : new HttpRoute(target, null, proxy.httpHost(), secure);
    }
}
