package dev.posthorn.http;

import static dev.posthorn.http.HostileUrls.address;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.hc.client5.http.async.methods.SimpleHttpRequest;
import org.apache.hc.client5.http.async.methods.SimpleHttpResponse;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder;
import org.apache.hc.core5.http.HttpHost;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class NamesTest {

    private static final String HOST = "hooks.example.com";
    private static final InetAddress PUBLIC = address("93.184.216.34");
    private static final InetAddress OTHER = address("93.184.216.35");
    private static final InetAddress LOOPBACK = address("127.0.0.1");

    private final AtomicLong clock = new AtomicLong();

    private Names names(Names.Lookup lookup) {
        return new Names(lookup, Destinations.PUBLIC, clock::get);
    }

    private static Names.Result result(Names names, String host) {
        CompletableFuture<Names.Result> told = new CompletableFuture<>();
        names.whenKnown(host, told::complete);
        return told.orTimeout(10, TimeUnit.SECONDS).join();
    }

    private static Names.Lookup always(InetAddress... addresses) {
        return host -> addresses;
    }

    @Test
    void theClientGetsTheAddressesThatWereChecked() throws UnknownHostException {
        Names names = names(always(PUBLIC, OTHER));

        assertThat(result(names, HOST)).isEqualTo(new Names.Known(List.of(PUBLIC, OTHER)));
        assertThat(names.resolver().resolve(HOST)).containsExactly(PUBLIC, OTHER);
        assertThat(names.resolver().resolve(HOST, 8443))
                .extracting(each -> each.getAddress() + ":" + each.getPort())
                .containsExactly(PUBLIC + ":8443", OTHER + ":8443");
    }

    @Test
    void theClientGetsNothingThatWasNotCheckedAndNobodyIsAsked() {
        AtomicInteger lookups = new AtomicInteger();
        Names names = names(host -> {
            lookups.incrementAndGet();
            return new InetAddress[] {PUBLIC};
        });

        assertThatThrownBy(() -> names.resolver().resolve(HOST)).isInstanceOf(UnknownHostException.class);
        assertThatThrownBy(() -> names.resolver().resolve("8.8.8.8", 80)).isInstanceOf(UnknownHostException.class);
        assertThat(lookups).hasValue(0);
    }

    @Test
    void aNameThatTurnsToLoopbackIsRefusedAndItsOldAddressForgotten() {
        AtomicReference<InetAddress> answer = new AtomicReference<>(PUBLIC);
        Names names = names(host -> new InetAddress[] {answer.get()});
        assertThat(result(names, HOST)).isInstanceOf(Names.Known.class);

        answer.set(LOOPBACK);
        clock.addAndGet(Names.FRESH_NANOS + 1);

        assertThat(result(names, HOST)).isEqualTo(new Names.Refused("127.0.0.1 is a loopback address"));
        assertThatThrownBy(() -> names.resolver().resolve(HOST)).isInstanceOf(UnknownHostException.class);
    }

    @Test
    void aNameThatTurnsBetweenCheckAndConnectStaysWhereItWasChecked() throws UnknownHostException {
        AtomicInteger lookups = new AtomicInteger();
        Names names = names(host -> new InetAddress[] {lookups.getAndIncrement() == 0 ? PUBLIC : LOOPBACK});

        assertThat(result(names, HOST)).isInstanceOf(Names.Known.class);

        assertThat(names.resolver().resolve(HOST)).containsExactly(PUBLIC);
        assertThat(lookups).hasValue(1);
    }

    @ParameterizedTest
    @MethodSource("hostileNames")
    void aHostileNameIsRefused(HostileUrls.Name hostile) {
        Names names = names(host -> {
            assertThat(host).isEqualTo(hostile.host());
            return hostile.addresses().toArray(InetAddress[]::new);
        });

        assertThat(result(names, Target.of(hostile.url()).host())).isInstanceOf(Names.Refused.class);
        assertThatThrownBy(() -> names.resolver().resolve(hostile.host())).isInstanceOf(UnknownHostException.class);
    }

    static List<HostileUrls.Name> hostileNames() {
        return HostileUrls.NAMES;
    }

    @Test
    void aTrustedNameMayHaveAnyAddress() throws UnknownHostException {
        Destinations trusting = Destinations.builder().allowHost(HOST).build();
        Names names = new Names(always(LOOPBACK), trusting, clock::get);

        assertThat(result(names, HOST)).isInstanceOf(Names.Known.class);
        assertThat(names.resolver().resolve(HOST)).containsExactly(LOOPBACK);
        assertThat(result(names, "other.example.com")).isInstanceOf(Names.Refused.class);
    }

    @Test
    void aFreshAnswerComesAtOnceOnTheCallersThread() {
        AtomicInteger lookups = new AtomicInteger();
        Names names = names(host -> {
            lookups.incrementAndGet();
            return new InetAddress[] {PUBLIC};
        });
        result(names, HOST);
        clock.addAndGet(Names.FRESH_NANOS);

        AtomicReference<Thread> told = new AtomicReference<>();
        names.whenKnown(HOST.toUpperCase(Locale.ROOT), result -> told.set(Thread.currentThread()));
        assertThat(told).hasValue(Thread.currentThread());
        assertThat(lookups).hasValue(1);

        clock.incrementAndGet();
        result(names, HOST);
        assertThat(lookups).hasValue(2);
    }

    @Test
    void aSlowLookupKeepsNeitherItsCallerNorAnotherHostWaiting() throws InterruptedException {
        CountDownLatch answer = new CountDownLatch(1);
        Names names = names(host -> {
            if (host.equals("slow.example.com")) {
                await(answer);
            }
            return new InetAddress[] {PUBLIC};
        });
        CompletableFuture<Thread> told = new CompletableFuture<>();

        names.whenKnown("slow.example.com", result -> told.complete(Thread.currentThread()));
        assertThat(told).isNotDone();
        assertThat(result(names, HOST)).isInstanceOf(Names.Known.class);
        assertThat(told).isNotDone();
        answer.countDown();

        Thread thread = told.orTimeout(10, TimeUnit.SECONDS).join();
        assertThat(thread.getName()).startsWith("posthorn-http-names-");
        assertThat(thread.isDaemon()).isTrue();
    }

    @Test
    void manyWhoWaitShareOneLookupAndAreToldOnceInTheirOrder() throws InterruptedException {
        CountDownLatch answer = new CountDownLatch(1);
        AtomicInteger lookups = new AtomicInteger();
        Names names = names(host -> {
            lookups.incrementAndGet();
            await(answer);
            return new InetAddress[] {PUBLIC};
        });
        List<Integer> told = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch all = new CountDownLatch(1_000);

        for (int i = 0; i < 1_000; i++) {
            int number = i;
            names.whenKnown(HOST, result -> {
                told.add(number);
                all.countDown();
            });
        }
        answer.countDown();

        assertThat(all.await(10, TimeUnit.SECONDS)).isTrue();
        result(names, HOST);
        assertThat(told)
                .containsExactlyElementsOf(IntStream.range(0, 1_000).boxed().toList());
        assertThat(lookups).hasValue(1);
    }

    @Test
    void oneWhoFailsWhenToldKeepsNobodyElseFromBeingTold() {
        CountDownLatch answer = new CountDownLatch(1);
        Names names = names(host -> {
            await(answer);
            return new InetAddress[] {PUBLIC};
        });
        CompletableFuture<Names.Result> second = new CompletableFuture<>();

        names.whenKnown(HOST, result -> {
            throw new IllegalStateException("planned by the test");
        });
        names.whenKnown(HOST, second::complete);
        answer.countDown();

        assertThat(second.orTimeout(10, TimeUnit.SECONDS).join()).isInstanceOf(Names.Known.class);
    }

    @Test
    void anUnknownHostIsToldAndAskedForAgain() {
        AtomicInteger lookups = new AtomicInteger();
        Names names = names(host -> {
            if (lookups.getAndIncrement() == 0) {
                throw new UnknownHostException(host);
            }
            return new InetAddress[] {PUBLIC};
        });

        assertThat(result(names, HOST)).isEqualTo(new Names.Unknown("the host " + HOST + " is unknown"));
        assertThat(result(names, HOST)).isInstanceOf(Names.Known.class);
    }

    @Test
    void aLookupThatBreaksIsToldToo() {
        Names broken = names(host -> {
            throw new IllegalStateException("planned by the test");
        });
        Names worse = names(host -> {
            throw new LinkageError("planned by the test");
        });
        Names empty = names(always());

        assertThat(result(broken, HOST))
                .isInstanceOfSatisfying(
                        Names.Unknown.class, each -> assertThat(each.reason()).contains("planned by the test"));
        assertThat(result(worse, HOST)).isInstanceOf(Names.Unknown.class);
        assertThat(result(empty, HOST)).isInstanceOf(Names.Unknown.class);
        assertThat(result(broken, HOST)).isInstanceOf(Names.Unknown.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"8.8.8.8", "2600::1", "[2600::1]", "127.0.0.1", "::1", "::ffff:127.0.0.1"})
    void anAddressIsCheckedWithoutALookup(String literal) throws UnknownHostException {
        Names names = names(host -> {
            throw new AssertionError("asked for " + host);
        });
        AtomicReference<Names.Result> told = new AtomicReference<>();

        names.whenKnown(literal, told::set);

        if (literal.contains("2600") || literal.startsWith("8")) {
            assertThat(told.get()).isInstanceOf(Names.Known.class);
            assertThat(names.resolver().resolve(literal)).hasSize(1);
        } else {
            assertThat(told.get()).isInstanceOf(Names.Refused.class);
            assertThatThrownBy(() -> names.resolver().resolve(literal)).isInstanceOf(UnknownHostException.class);
        }
    }

    @Test
    void aPunycodeNameIsFoundByWhatTheClientMakesOfIt() throws UnknownHostException {
        String written = "xn--mnchen-3ya.example.com";
        String asked = new HttpHost("https", written, 443).getHostName();
        Names names = names(always(PUBLIC));

        assertThat(asked).isEqualTo("münchen.example.com");
        result(names, written);
        assertThat(names.resolver().resolve(asked)).containsExactly(PUBLIC);
    }

    @Test
    void theHostCheckedLongestAgoIsForgottenFirst() throws UnknownHostException {
        Names names = names(always(PUBLIC));
        result(names, "first.example.com");
        result(names, "second.example.com");
        clock.addAndGet(Names.FRESH_NANOS + 1);
        result(names, "first.example.com");
        for (int i = 0; i < Names.MOST_HOSTS - 1; i++) {
            result(names, i + ".example.com");
        }

        assertThat(names.resolver().resolve("first.example.com")).isNotEmpty();
        assertThatThrownBy(() -> names.resolver().resolve("second.example.com"))
                .isInstanceOf(UnknownHostException.class);
    }

    @Test
    void atMost256LookupsRunAtOnceAndTheOthersHaveTheirTurn() throws InterruptedException {
        CountDownLatch answer = new CountDownLatch(1);
        CountDownLatch all = new CountDownLatch(400);
        CountDownLatch full = new CountDownLatch(256);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Names names = names(host -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            full.countDown();
            await(answer);
            running.decrementAndGet();
            return new InetAddress[] {PUBLIC};
        });

        for (int i = 0; i < 400; i++) {
            names.whenKnown(i + ".example.com", result -> all.countDown());
        }
        await(full);
        answer.countDown();

        assertThat(all.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(most).hasValue(256);
    }

    @Test
    void javasOwnLookupIsTheDefault() throws UnknownHostException {
        Names names = new Names(Destinations.builder().allowLoopback().build());

        assertThat(result(names, "localhost")).isInstanceOf(Names.Known.class);
        assertThat(names.resolver().resolve("localhost")).allMatch(InetAddress::isLoopbackAddress);
    }

    @Test
    void theClientConnectsToTheCheckedAddressAndToNoOther() throws Exception {
        Names names = new Names(
                always(LOOPBACK), Destinations.builder().allowLoopback().build(), clock::get);
        try (ServerSocket server = new ServerSocket(0, 50, LOOPBACK);
                CloseableHttpAsyncClient client = client(names)) {
            String url = ":" + server.getLocalPort() + "/hook";
            assertThatThrownBy(() -> get(client, "http://" + HOST + url))
                    .hasRootCauseInstanceOf(UnknownHostException.class);
            assertThatThrownBy(() -> get(client, "http://127.0.0.1" + url))
                    .hasRootCauseInstanceOf(UnknownHostException.class);

            result(names, HOST);
            CompletableFuture<Void> answered = CompletableFuture.runAsync(() -> answerOnce(server));
            assertThat(get(client, "http://" + HOST + url).getCode()).isEqualTo(204);
            answered.join();
        }
    }

    private static CloseableHttpAsyncClient client(Names names) {
        CloseableHttpAsyncClient client = HttpAsyncClients.custom()
                .disableAutomaticRetries()
                .setConnectionManager(PoolingAsyncClientConnectionManagerBuilder.create()
                        .setDnsResolver(names.resolver())
                        .build())
                .build();
        client.start();
        return client;
    }

    private static SimpleHttpResponse get(CloseableHttpAsyncClient client, String url) throws Exception {
        return client.execute(SimpleHttpRequest.create("GET", url), null).get(10, TimeUnit.SECONDS);
    }

    private static void answerOnce(ServerSocket server) {
        try (Socket socket = server.accept()) {
            assertThat(socket.getInputStream().read(new byte[10_000])).isPositive();
            socket.getOutputStream().write("HTTP/1.1 204 No Content\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
