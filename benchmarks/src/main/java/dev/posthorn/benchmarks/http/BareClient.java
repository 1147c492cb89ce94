package dev.posthorn.benchmarks.http;

import dev.posthorn.benchmarks.harness.Stopwatch;
import dev.posthorn.event.Event;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.Message;
import org.apache.hc.core5.http.Method;
import org.apache.hc.core5.http.message.BasicHttpRequest;
import org.apache.hc.core5.http.nio.entity.BasicAsyncEntityProducer;
import org.apache.hc.core5.http.nio.entity.DiscardingEntityConsumer;
import org.apache.hc.core5.http.nio.support.BasicRequestProducer;
import org.apache.hc.core5.http.nio.support.BasicResponseConsumer;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.reactor.IOReactorConfig;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * The client of our sink as one would use it by hand, with the same settings in so far as they bear on its speed, and
 * the same headers but for the signature.
 */
final class BareClient implements AutoCloseable {

    private final CloseableHttpAsyncClient client;
    private final HttpHost host;
    private final int concurrency;

    BareClient(int port, int concurrency) {
        this.host = new HttpHost("http", "127.0.0.1", port);
        this.concurrency = concurrency;
        this.client = HttpAsyncClients.custom()
                .setConnectionManager(PoolingAsyncClientConnectionManagerBuilder.create()
                        .setMaxConnTotal(concurrency + 1)
                        .setMaxConnPerRoute(concurrency + 1)
                        .setMessageMultiplexing(true)
                        .setDefaultConnectionConfig(ConnectionConfig.custom()
                                .setTimeToLive(TimeValue.ofMinutes(5))
                                .setIdleTimeout(Timeout.ofSeconds(30))
                                .setValidateAfterInactivity(TimeValue.ofSeconds(1))
                                .build())
                        .build())
                .setIOReactorConfig(IOReactorConfig.custom()
                        .setIoThreadCount(1)
                        .setTcpNoDelay(true)
                        .setSoKeepAlive(true)
                        .build())
                .setIoReactorExceptionCallback(error -> {
                    // That it was closed; anything else ends a request, which tells.
                })
                .setUserAgent("Bare")
                .disableContentCompression()
                .disableRedirectHandling()
                .disableAutomaticRetries()
                .disableCookieManagement()
                .disableAuthCaching()
                .build();
        client.start();
    }

    /**
     * Sends so many requests, made of these events over and over, from a loop on this thread, and tells how many a second.
     */
    double loopPerSecond(List<Event> samples, int count) throws InterruptedException {
        Stopwatch watch = new Stopwatch();
        Run run = new Run(samples, count, false);
        for (int i = 0; i < count; i++) {
            run.permits.acquire();
            run.next();
        }
        run.await();
        return count / watch.seconds();
    }

    /**
     * The same where every answer sends the next request, on the client's own thread. Nobody is ever woken, which suits
     * whoever has all requests in memory.
     */
    double chainPerSecond(List<Event> samples, int count) throws InterruptedException {
        Stopwatch watch = new Stopwatch();
        Run run = new Run(samples, count, true);
        for (int i = 0; i < concurrency; i++) {
            run.next();
        }
        run.await();
        return count / watch.seconds();
    }

    private final class Run implements FutureCallback<Message<HttpResponse, @Nullable Void>> {

        private final List<Event> samples;
        private final int count;
        private final boolean chained;
        private final Semaphore permits = new Semaphore(concurrency);
        private final AtomicInteger begun = new AtomicInteger();
        private final CountDownLatch missing;
        private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

        Run(List<Event> samples, int count, boolean chained) {
            this.samples = samples;
            this.count = count;
            this.chained = chained;
            this.missing = new CountDownLatch(count);
        }

        void next() {
            int number = begun.getAndIncrement();
            if (number < count) {
                Event event = samples.get(number % samples.size());
                var unused = client.execute(
                        new BasicRequestProducer(
                                request(event),
                                new BasicAsyncEntityProducer(event.payload(), ContentType.APPLICATION_JSON)),
                        new BasicResponseConsumer<>(new DiscardingEntityConsumer<>()),
                        this);
            }
        }

        @Override
        public void completed(Message<HttpResponse, @Nullable Void> answer) {
            if (answer.getHead().getCode() != 204) {
                failure.compareAndSet(null, new IllegalStateException("answered with " + answer.getHead()));
            }
            over();
        }

        private void over() {
            missing.countDown();
            if (chained) {
                next();
            } else {
                permits.release();
            }
        }

        @Override
        public void failed(Exception error) {
            failure.compareAndSet(null, error);
            over();
        }

        @Override
        public void cancelled() {
            failed(new IllegalStateException("a request was cancelled"));
        }

        void await() throws InterruptedException {
            missing.await();
            Exception first = failure.get();
            if (first != null) {
                throw new IllegalStateException("The receiver did not take everything: " + first.getMessage(), first);
            }
        }
    }

    private BasicHttpRequest request(Event event) {
        BasicHttpRequest request = new BasicHttpRequest(Method.POST, host, "/");
        Instant now = Instant.now();
        String id = event.id().toString();
        String key = String.valueOf(event.key());
        request.addHeader("ce-specversion", "1.0");
        request.addHeader("ce-id", id);
        request.addHeader("ce-type", event.type());
        request.addHeader("ce-source", event.source());
        request.addHeader("ce-time", now.toString());
        request.addHeader("ce-eventversion", Integer.toString(event.version()));
        request.addHeader("ce-subject", key);
        request.addHeader("ce-partitionkey", key);
        request.addHeader("ce-aggregatetype", String.valueOf(event.aggregateType()));
        request.addHeader("webhook-id", id);
        request.addHeader("webhook-timestamp", Long.toString(now.getEpochSecond()));
        return request;
    }

    @Override
    public void close() {
        client.close(CloseMode.IMMEDIATE);
    }
}
