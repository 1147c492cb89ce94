package dev.posthorn.http.client;

import dev.posthorn.http.address.HostResolver;
import dev.posthorn.http.address.Target;
import java.nio.channels.ClosedSelectorException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.config.TlsConfig;
import org.apache.hc.client5.http.impl.ChainElement;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClientBuilder;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManager;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.client5.http.ssl.ClientTlsStrategyBuilder;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.nio.AsyncRequestProducer;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.reactor.IOReactorConfig;
import org.apache.hc.core5.reactor.IOReactorStatus;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A sink's own connections and the thread that serves them: made with its first channel, closed with its last. As
 * nothing of it is shared with other sinks, whatever a receiver does is felt by its own subscription alone.
 */
public final class Connections {

    private static final Logger log = LoggerFactory.getLogger(Connections.class);

    private static final Duration LONGEST_HANDSHAKE = Duration.ofSeconds(10);

    /** A little more than the time after which a packet that got no answer is sent again. */
    private static final Duration LEAST_CONNECT = Duration.ofMillis(1200);

    /** So that a receiver that moved to another address is found there. */
    private static final TimeValue OLDEST_CONNECTION = TimeValue.ofMinutes(5);

    private static final Timeout LONGEST_IDLE = Timeout.ofSeconds(30);

    /** Shorter than the time after which the first of the common servers and balancers close an idle connection. */
    private static final TimeValue CHECKED_AFTER = TimeValue.ofSeconds(1);

    private static final int LONGEST_HEADER_LINE = 16 << 10;
    private static final int MOST_HEADERS = 200;
    private static final String USER_AGENT =
            userAgent(Connections.class.getPackage().getImplementationVersion());
    private static final AtomicLong threads = new AtomicLong();

    private final ClientSettings settings;
    private final HostResolver hosts;
    private int users;
    private Duration timeout = Duration.ZERO;
    private volatile @Nullable CloseableHttpAsyncClient client;

    public Connections(ClientSettings settings, HostResolver hosts) {
        this.settings = settings;
        this.hosts = hosts;
    }

    private static String userAgent(@Nullable String version) {
        return version == null ? "Posthorn" : "Posthorn/" + version;
    }

    /** For one more channel. */
    public synchronized void open(Duration timeout) {
        this.timeout = timeout;
        if (users++ == 0) {
            client = started();
        }
    }

    /** For one channel less. */
    public synchronized void close() {
        if (--users == 0) {
            CloseableHttpAsyncClient last = Objects.requireNonNull(client);
            client = null;
            last.close(CloseMode.IMMEDIATE);
        }
    }

    /** Finds the host that is connected to for a request there: its own, or the proxy's. */
    public void resolve(Target to, Consumer<HostResolver.Result> then) {
        Target proxy = settings.proxy();
        hosts.whenKnown((proxy == null ? to : proxy).host(), then);
    }

    /** Null, and no callback, if there is no channel any more: then nobody waits for it. */
    public @Nullable Future<Response> send(
            AsyncRequestProducer request,
            ResponseReader response,
            HttpClientContext context,
            FutureCallback<Response> callback) {
        CloseableHttpAsyncClient running = running();
        return running == null ? null : running.execute(request, response, context, callback);
    }

    /** An error in the client's own code would end its thread, and the subscription with it. */
    private @Nullable CloseableHttpAsyncClient running() {
        CloseableHttpAsyncClient now = client;
        return now == null || now.getStatus().compareTo(IOReactorStatus.ACTIVE) <= 0 ? now : restarted(now);
    }

    private synchronized @Nullable CloseableHttpAsyncClient restarted(CloseableHttpAsyncClient ended) {
        if (client == ended) {
            ended.close(CloseMode.IMMEDIATE);
            client = started();
        }
        return client;
    }

    private CloseableHttpAsyncClient started() {
        HttpAsyncClientBuilder builder = HttpAsyncClients.custom()
                .setConnectionManager(pool())
                .setIOReactorConfig(IOReactorConfig.custom()
                        .setIoThreadCount(1)
                        .setTcpNoDelay(true)
                        .setSoKeepAlive(true)
                        .build())
                .setThreadFactory(this::thread)
                .setIoReactorExceptionCallback(this::told)
                .setHttp1Config(Http1Config.custom()
                        .setMaxLineLength(LONGEST_HEADER_LINE)
                        .setMaxHeaderCount(MOST_HEADERS)
                        .build())
                .setDefaultRequestConfig(RequestConfig.custom()
                        .setConnectionRequestTimeout(Timeout.of(timeout))
                        .setResponseTimeout(Timeout.of(timeout))
                        .setProtocolUpgradeEnabled(false)
                        .build())
                .setIOSessionListener(new HandshakeTimeout(longestHandshake()))
                .addExecInterceptorBefore(ChainElement.MAIN_TRANSPORT.name(), "cutoff", RequestCutoff::hold)
                .setUserAgent(USER_AGENT)
                .disableContentCompression()
                .disableRedirectHandling()
                .disableAutomaticRetries()
                .disableCookieManagement()
                .disableAuthCaching();
        if (settings.once()) {
            // How a connection ends that was used before tells nothing certain about the request that came after.
            builder.setConnectionReuseStrategy((request, response, context) -> false);
        }
        Target proxy = settings.proxy();
        if (proxy != null) {
            builder.setProxy(proxy.httpHost());
        }
        CloseableHttpAsyncClient started = builder.build();
        started.start();
        return started;
    }

    /** That it was closed is no news, nor what its thread stumbled over then. */
    private void told(Exception error) {
        if (client != null && !(error instanceof ClosedSelectorException)) {
            log.error("{}: the connections failed; they are made anew for the next event", settings.receiver(), error);
        }
    }

    private PoolingAsyncClientConnectionManager pool() {
        return PoolingAsyncClientConnectionManagerBuilder.create()
                .setTlsStrategy(ClientTlsStrategyBuilder.create()
                        .setSslContext(settings.tls())
                        .buildAsync())
                .setDnsResolver(hosts.dns())
                // One more for tokens.
                .setMaxConnTotal(settings.concurrency() + 1)
                .setMaxConnPerRoute(settings.concurrency() + 1)
                .setMessageMultiplexing(true)
                .setDefaultConnectionConfig(ConnectionConfig.custom()
                        .setConnectTimeout(Timeout.of(longestConnect()))
                        .setTimeToLive(OLDEST_CONNECTION)
                        .setIdleTimeout(LONGEST_IDLE)
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

    private Thread thread(Runnable work) {
        String name = "posthorn-http-" + settings.host() + "-" + threads.incrementAndGet();
        Thread thread = new Thread(null, work, name, 0, false);
        thread.setDaemon(true);
        return thread;
    }
}
