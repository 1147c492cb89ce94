package dev.posthorn.http.address;

import static dev.posthorn.http.address.HostileUrls.address;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.testkit.Receiver;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hc.client5.http.async.methods.SimpleHttpRequest;
import org.apache.hc.client5.http.async.methods.SimpleHttpResponse;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder;
import org.apache.hc.core5.http.HttpHost;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Isolated("it takes all the threads by which the sinks of a program look names up")
@Timeout(300)
class HostResolverTest {

    private static final String HOST = "hooks.example.com";
    private static final InetAddress PUBLIC = address("93.184.216.34");
    private static final InetAddress OTHER = address("93.184.216.35");
    private static final InetAddress LOOPBACK = address("127.0.0.1");

    private static final AddressPolicy ONLY_PUBLIC = new AddressPolicy(Set.of(), Set.of(), Set.of());
    private static final AddressPolicy ALSO_LOOPBACK =
            new AddressPolicy(Set.of(Network.of("127.0.0.0/8"), Network.of("::1")), Set.of(), Set.of());

    private final AtomicLong clock = new AtomicLong();

    private HostResolver resolver(HostResolver.Lookup lookup) {
        return new HostResolver(lookup, ONLY_PUBLIC, clock::get);
    }

    private static HostResolver.Result result(HostResolver resolver, String host) {
        CompletableFuture<HostResolver.Result> told = new CompletableFuture<>();
        resolver.whenKnown(host, told::complete);
        return told.orTimeout(60, TimeUnit.SECONDS).join();
    }

    private static HostResolver.Lookup always(InetAddress... addresses) {
        return host -> addresses;
    }

    @Test
    void theClientGetsTheAddressesThatWereChecked() throws UnknownHostException {
        HostResolver resolver = resolver(always(PUBLIC, OTHER));

        assertThat(result(resolver, HOST)).isEqualTo(new HostResolver.Known(List.of(PUBLIC, OTHER)));
        assertThat(resolver.dns().resolve(HOST)).containsExactly(PUBLIC, OTHER);
        assertThat(resolver.dns().resolve(HOST, 8443))
                .extracting(each -> each.getAddress() + ":" + each.getPort())
                .containsExactly(PUBLIC + ":8443", OTHER + ":8443");
    }

    @Test
    void theClientGetsNothingThatWasNotCheckedAndNobodyIsAsked() {
        AtomicInteger lookups = new AtomicInteger();
        HostResolver resolver = resolver(host -> {
            lookups.incrementAndGet();
            return new InetAddress[] {PUBLIC};
        });

        assertThatThrownBy(() -> resolver.dns().resolve(HOST)).isInstanceOf(UnknownHostException.class);
        assertThatThrownBy(() -> resolver.dns().resolve("8.8.8.8", 80)).isInstanceOf(UnknownHostException.class);
        assertThat(lookups).hasValue(0);
    }

    @Test
    void aNameThatTurnsToLoopbackIsRefusedAndItsOldAddressForgotten() {
        AtomicReference<InetAddress> answer = new AtomicReference<>(PUBLIC);
        HostResolver resolver = resolver(host -> new InetAddress[] {answer.get()});
        assertThat(result(resolver, HOST)).isInstanceOf(HostResolver.Known.class);

        answer.set(LOOPBACK);
        clock.addAndGet(HostResolver.FRESH_NANOS + 1);

        assertThat(result(resolver, HOST)).isEqualTo(new HostResolver.Refused("127.0.0.1 is a loopback address"));
        assertThatThrownBy(() -> resolver.dns().resolve(HOST)).isInstanceOf(UnknownHostException.class);
    }

    @Test
    void aNameThatTurnsBetweenCheckAndConnectStaysWhereItWasChecked() throws UnknownHostException {
        AtomicInteger lookups = new AtomicInteger();
        HostResolver resolver =
                resolver(host -> new InetAddress[] {lookups.getAndIncrement() == 0 ? PUBLIC : LOOPBACK});

        assertThat(result(resolver, HOST)).isInstanceOf(HostResolver.Known.class);

        assertThat(resolver.dns().resolve(HOST)).containsExactly(PUBLIC);
        assertThat(lookups).hasValue(1);
    }

    @ParameterizedTest
    @MethodSource("hostileNames")
    void aHostileNameIsRefused(HostileUrls.Name hostile) {
        HostResolver resolver = resolver(host -> {
            assertThat(host).isEqualTo(hostile.host());
            return hostile.addresses().toArray(InetAddress[]::new);
        });

        assertThat(result(resolver, Target.of(hostile.url()).host())).isInstanceOf(HostResolver.Refused.class);
        assertThatThrownBy(() -> resolver.dns().resolve(hostile.host())).isInstanceOf(UnknownHostException.class);
    }

    static List<HostileUrls.Name> hostileNames() {
        return HostileUrls.NAMES;
    }

    @Test
    void aTrustedNameMayHaveAnyAddress() throws UnknownHostException {
        AddressPolicy trusting = new AddressPolicy(Set.of(), Set.of(HOST), Set.of());
        HostResolver resolver = new HostResolver(always(LOOPBACK), trusting, clock::get);

        assertThat(result(resolver, HOST)).isInstanceOf(HostResolver.Known.class);
        assertThat(resolver.dns().resolve(HOST)).containsExactly(LOOPBACK);
        assertThat(result(resolver, "other.example.com")).isInstanceOf(HostResolver.Refused.class);
    }

    @Test
    void aFreshAnswerComesAtOnceOnTheCallersThread() {
        AtomicInteger lookups = new AtomicInteger();
        HostResolver resolver = resolver(host -> {
            lookups.incrementAndGet();
            return new InetAddress[] {PUBLIC};
        });
        result(resolver, HOST);
        clock.addAndGet(HostResolver.FRESH_NANOS);

        AtomicReference<Thread> told = new AtomicReference<>();
        resolver.whenKnown(HOST.toUpperCase(Locale.ROOT), result -> told.set(Thread.currentThread()));
        assertThat(told).hasValue(Thread.currentThread());
        assertThat(lookups).hasValue(1);

        clock.incrementAndGet();
        result(resolver, HOST);
        assertThat(lookups).hasValue(2);
    }

    @Test
    void aSlowLookupKeepsNeitherItsCallerNorAnotherHostWaiting() throws InterruptedException {
        CountDownLatch answer = new CountDownLatch(1);
        HostResolver resolver = resolver(host -> {
            if (host.equals("slow.example.com")) {
                await(answer);
            }
            return new InetAddress[] {PUBLIC};
        });
        CompletableFuture<Thread> told = new CompletableFuture<>();

        resolver.whenKnown("slow.example.com", result -> told.complete(Thread.currentThread()));
        assertThat(told).isNotDone();
        assertThat(result(resolver, HOST)).isInstanceOf(HostResolver.Known.class);
        assertThat(told).isNotDone();
        answer.countDown();

        Thread thread = told.orTimeout(60, TimeUnit.SECONDS).join();
        assertThat(thread.getName()).startsWith("posthorn-http-names-");
        assertThat(thread.isDaemon()).isTrue();
    }

    @Test
    void manyWhoWaitShareOneLookupAndAreToldOnceInTheirOrder() throws InterruptedException {
        CountDownLatch answer = new CountDownLatch(1);
        AtomicInteger lookups = new AtomicInteger();
        HostResolver resolver = resolver(host -> {
            lookups.incrementAndGet();
            await(answer);
            return new InetAddress[] {PUBLIC};
        });
        List<Integer> told = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch all = new CountDownLatch(1_000);

        for (int i = 0; i < 1_000; i++) {
            int number = i;
            resolver.whenKnown(HOST, result -> {
                told.add(number);
                all.countDown();
            });
        }
        answer.countDown();

        assertThat(all.await(60, TimeUnit.SECONDS)).isTrue();
        result(resolver, HOST);
        assertThat(told)
                .containsExactlyElementsOf(IntStream.range(0, 1_000).boxed().toList());
        assertThat(lookups).hasValue(1);
    }

    @Test
    void oneWhoFailsWhenToldKeepsNobodyElseFromBeingTold() {
        CountDownLatch answer = new CountDownLatch(1);
        HostResolver resolver = resolver(host -> {
            await(answer);
            return new InetAddress[] {PUBLIC};
        });
        CompletableFuture<HostResolver.Result> second = new CompletableFuture<>();

        resolver.whenKnown(HOST, result -> {
            throw new IllegalStateException("planned by the test");
        });
        resolver.whenKnown(HOST, second::complete);
        answer.countDown();

        assertThat(second.orTimeout(60, TimeUnit.SECONDS).join()).isInstanceOf(HostResolver.Known.class);
    }

    @Test
    void anUnknownHostIsToldAndAskedForAgain() {
        AtomicInteger lookups = new AtomicInteger();
        HostResolver resolver = resolver(host -> {
            if (lookups.getAndIncrement() == 0) {
                throw new UnknownHostException(host);
            }
            return new InetAddress[] {PUBLIC};
        });

        assertThat(result(resolver, HOST)).isEqualTo(new HostResolver.Unknown("the host " + HOST + " is unknown"));
        assertThat(result(resolver, HOST)).isInstanceOf(HostResolver.Known.class);
    }

    @Test
    void aLookupThatBreaksIsToldToo() {
        HostResolver broken = resolver(host -> {
            throw new IllegalStateException("planned by the test");
        });
        HostResolver worse = resolver(host -> {
            throw new LinkageError("planned by the test");
        });
        HostResolver empty = resolver(always());

        assertThat(result(broken, HOST))
                .isInstanceOfSatisfying(
                        HostResolver.Unknown.class,
                        each -> assertThat(each.reason()).contains("planned by the test"));
        assertThat(result(worse, HOST)).isInstanceOf(HostResolver.Unknown.class);
        assertThat(result(empty, HOST)).isInstanceOf(HostResolver.Unknown.class);
        assertThat(result(broken, HOST)).isInstanceOf(HostResolver.Unknown.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"8.8.8.8", "2600::1", "[2600::1]", "127.0.0.1", "::1", "::ffff:127.0.0.1"})
    void anAddressIsCheckedWithoutALookup(String literal) throws UnknownHostException {
        HostResolver resolver = resolver(host -> {
            throw new AssertionError("asked for " + host);
        });
        AtomicReference<HostResolver.Result> told = new AtomicReference<>();

        resolver.whenKnown(literal, told::set);

        if (literal.contains("2600") || literal.startsWith("8")) {
            assertThat(told.get()).isInstanceOf(HostResolver.Known.class);
            assertThat(resolver.dns().resolve(literal)).hasSize(1);
        } else {
            assertThat(told.get()).isInstanceOf(HostResolver.Refused.class);
            assertThatThrownBy(() -> resolver.dns().resolve(literal)).isInstanceOf(UnknownHostException.class);
        }
    }

    @Test
    void aPunycodeNameIsFoundByWhatTheClientMakesOfIt() throws UnknownHostException {
        String written = "xn--mnchen-3ya.example.com";
        String asked = new HttpHost("https", written, 443).getHostName();
        HostResolver resolver = resolver(always(PUBLIC));

        assertThat(asked).isEqualTo("münchen.example.com");
        result(resolver, written);
        assertThat(resolver.dns().resolve(asked)).containsExactly(PUBLIC);
    }

    @Test
    void theHostCheckedLongestAgoIsForgottenFirst() throws UnknownHostException {
        HostResolver resolver = resolver(always(PUBLIC));
        result(resolver, "first.example.com");
        result(resolver, "second.example.com");
        clock.addAndGet(HostResolver.FRESH_NANOS + 1);
        result(resolver, "first.example.com");
        for (int i = 0; i < HostResolver.MOST_HOSTS - 1; i++) {
            result(resolver, i + ".example.com");
        }

        assertThat(resolver.dns().resolve("first.example.com")).isNotEmpty();
        assertThatThrownBy(() -> resolver.dns().resolve("second.example.com")).isInstanceOf(UnknownHostException.class);
    }

    @Test
    void atMost256LookupsRunAtOnceAndTheOthersHaveTheirTurn() throws InterruptedException {
        CountDownLatch answer = new CountDownLatch(1);
        CountDownLatch all = new CountDownLatch(400);
        CountDownLatch full = new CountDownLatch(256);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        HostResolver resolver = resolver(host -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            full.countDown();
            await(answer);
            running.decrementAndGet();
            return new InetAddress[] {PUBLIC};
        });

        for (int i = 0; i < 400; i++) {
            resolver.whenKnown(i + ".example.com", result -> all.countDown());
        }
        await(full);
        answer.countDown();

        assertThat(all.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(most).hasValue(256);
    }

    /** One more thread for each of them, up to all, though one was idle: that is how the JDK's pool would have it. */
    @Test
    void lookupsInTurnShareAThread() {
        LookupThreads threads = new LookupThreads(256);
        Set<Thread> used = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            CompletableFuture<Boolean> told = new CompletableFuture<>();
            threads.look(() -> used.add(Thread.currentThread()), told::complete);
            told.orTimeout(60, TimeUnit.SECONDS).join();
        }
        assertThat(used).hasSize(1);
    }

    @Test
    void namesThatAreKnownToHangKeepNoOtherWaiting() {
        CountDownLatch over = new CountDownLatch(1);
        AtomicBoolean again = new AtomicBoolean();
        AtomicLong time = new AtomicLong();
        List<HostResolver> hanging = Stream.generate(() -> new HostResolver(
                        host -> {
                            if (again.get()) {
                                await(over);
                            }
                            time.addAndGet(HostResolver.SLOW_NANOS);
                            throw new UnknownHostException(host);
                        },
                        ALSO_LOOPBACK,
                        time::get))
                .limit(300)
                .toList();
        hanging.forEach(each -> result(each, HOST));
        again.set(true);
        CountDownLatch told = new CountDownLatch(hanging.size());
        hanging.forEach(each -> each.whenKnown(HOST, result -> told.countDown()));
        try {
            assertThat(result(resolver(always(PUBLIC)), HOST)).isInstanceOf(HostResolver.Known.class);
            assertThat(told.getCount()).isEqualTo(hanging.size());
        } finally {
            over.countDown();
        }
        await(told);
    }

    @Test
    void javasOwnLookupIsTheDefault() throws UnknownHostException {
        HostResolver resolver = new HostResolver(ALSO_LOOPBACK);

        assertThat(result(resolver, "localhost")).isInstanceOf(HostResolver.Known.class);
        assertThat(resolver.dns().resolve("localhost")).allMatch(InetAddress::isLoopbackAddress);
    }

    @Test
    void theClientConnectsToTheCheckedAddressAndToNoOther() throws Exception {
        HostResolver resolver = new HostResolver(always(LOOPBACK), ALSO_LOOPBACK, clock::get);
        try (Receiver receiver = Receiver.start();
                CloseableHttpAsyncClient client = client(resolver)) {
            String url = ":" + receiver.port() + "/hook";
            assertThatThrownBy(() -> get(client, "http://" + HOST + url))
                    .hasRootCauseInstanceOf(UnknownHostException.class);
            assertThatThrownBy(() -> get(client, "http://127.0.0.1" + url))
                    .hasRootCauseInstanceOf(UnknownHostException.class);

            result(resolver, HOST);
            assertThat(get(client, "http://" + HOST + url).getCode()).isEqualTo(204);
            assertThat(receiver.count()).isEqualTo(1);
        }
    }

    private static CloseableHttpAsyncClient client(HostResolver resolver) {
        CloseableHttpAsyncClient client = HttpAsyncClients.custom()
                .disableAutomaticRetries()
                .setConnectionManager(PoolingAsyncClientConnectionManagerBuilder.create()
                        .setDnsResolver(resolver.dns())
                        .build())
                .build();
        client.start();
        return client;
    }

    private static SimpleHttpResponse get(CloseableHttpAsyncClient client, String url) throws Exception {
        return client.execute(SimpleHttpRequest.create("GET", url), null).get(60, TimeUnit.SECONDS);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
