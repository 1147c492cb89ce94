package dev.posthorn.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.http.client.Reactor;
import dev.posthorn.http.receiver.Certificates;
import dev.posthorn.http.receiver.Http2Receiver;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.Outcome;
import dev.posthorn.sink.contract.Gate;
import dev.posthorn.testkit.Listener;
import dev.posthorn.testkit.Receiver;
import dev.posthorn.testkit.Receiver.Answer;
import dev.posthorn.testkit.Request;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a sink's connections are used. */
@Tag("slow")
class ConnectionsTest {

    @Test
    void connectionsAreKeptAndNoMoreAreMadeThanRequestsMayBeUnderWay() {
        try (Receiver receiver = Receiver.start();
                Channel channel =
                        Sends.sink(receiver.url("/hook")).concurrency(4).build().open("t/0", Sends.TIMEOUT)) {
            for (int round = 0; round < 5; round++) {
                List<CompletableFuture<Outcome>> outcomes = IntStream.range(0, 4)
                        .mapToObj(i -> Sends.begin(channel, Sends.event().build(), 1))
                        .toList();
                outcomes.forEach(Sends::get);
            }
            assertThat(receiver.requests()).hasSize(20);
            assertThat(receiver.requests().stream()
                            .map(Request::port)
                            .distinct()
                            .count())
                    .as("one more may be made while another is on its way back")
                    .isLessThanOrEqualTo(5);
        }
    }

    /** Its thread takes a moment to start; taken for dead, it was replaced, and the first events with it. */
    @Test
    void theFirstEventsOfANewChannelAreNotLost() {
        try (Receiver receiver = Receiver.start()) {
            for (int round = 0; round < 50; round++) {
                try (Channel channel = Sends.sink(receiver.url("/hook")).build().open("t/0", Sends.TIMEOUT)) {
                    List<CompletableFuture<Outcome>> outcomes = IntStream.range(0, 4)
                            .mapToObj(i -> Sends.begin(channel, Sends.event().build(), 1))
                            .toList();
                    outcomes.forEach(outcome -> assertThat(Sends.get(outcome)).isInstanceOf(Outcome.Delivered.class));
                }
            }
        }
    }

    /** A server closes what is idle, and its last word crosses the request on the way, or comes just before it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aKeptConnectionThatTheReceiverHasJustClosedIsNoFailure(boolean afterTheNextRequest) throws Exception {
        AtomicInteger connections = new AtomicInteger();
        Listener.Conversation closing = socket -> {
            connections.incrementAndGet();
            answerOnce(socket, afterTheNextRequest);
        };
        try (Listener server = Listener.start(closing);
                Channel channel =
                        Sends.sink("http://127.0.0.1:" + server.port()).build().open("t/0", Sends.TIMEOUT)) {
            for (int i = 0; i < 20; i++) {
                assertThat(Sends.through(channel, Sends.event().build(), 1)).isInstanceOf(Outcome.Delivered.class);
            }
            assertThat(connections).hasValue(20);
        }
    }

    private static void answerOnce(Socket socket, boolean waits) throws IOException {
        Request.read(socket.getInputStream(), socket);
        socket.getOutputStream().write("HTTP/1.1 204 No Content\r\n\r\n".getBytes(UTF_8));
        if (waits) {
            socket.getInputStream().read();
        }
    }

    @Test
    void threadsAndConnectionsEndWithTheLastChannel() {
        try (Receiver receiver = Receiver.start()) {
            HttpSink sink = Sends.sink("http://localhost:" + receiver.port())
                    .reactor(new Reactor("posthorn-http-localhost"))
                    .build();
            Channel one = sink.open("t/0", Sends.TIMEOUT);
            Channel two = sink.open("t/1", Sends.TIMEOUT);
            Sends.through(one, Sends.event().build(), 1);
            assertThat(ioThreads()).isNotEmpty();
            one.close();
            assertThat(Sends.through(two, Sends.event().build(), 1)).isInstanceOf(Outcome.Delivered.class);
            two.close();
            await().atMost(60, SECONDS).until(() -> ioThreads().isEmpty());
            try (Channel again = sink.open("t/0", Sends.TIMEOUT)) {
                assertThat(Sends.through(again, Sends.event().build(), 1)).isInstanceOf(Outcome.Delivered.class);
            }
        }
    }

    private static List<String> ioThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("posthorn-http-localhost-"))
                .toList();
    }

    @Test
    void aClosedChannelAnswersNothingMore() throws Exception {
        CountDownLatch came = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        try (Receiver receiver = Receiver.start().answering(got -> {
            came.countDown();
            waitFor(closed);
            return Answer.status(204);
        })) {
            Channel channel = Sends.sink(receiver.url("/hook")).build().open("t/0", Sends.TIMEOUT);
            CompletableFuture<Outcome> outcome =
                    Sends.begin(channel, Sends.event().build(), 1);
            came.await();
            channel.close();
            closed.countDown();
            CompletableFuture<Outcome> late = Sends.begin(channel, Sends.event().build(), 1);
            assertThat(receiver.requests()).hasSize(1);
            assertThat(outcome).isNotDone();
            assertThat(late).isNotDone();
        }
    }

    private static void waitFor(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Only the stream was given up, and every event after it went the same way until the connection was old. */
    @Test
    void anHttp2ConnectionThatCarriesNothingAnyMoreIsGivenUpWithTheFirstTimeout(@TempDir Path directory)
            throws Exception {
        Certificates certificates = Certificates.in(directory);
        try (Http2Receiver receiver = new Http2Receiver(certificates.server());
                Gate gate = Gate.open()) {
            gate.leadTo(receiver.port());
            try (Channel channel = Sends.sink("https://127.0.0.1:" + gate.port() + "/hook")
                    .tls(Tls.builder().trustOnly(certificates.caPem()).build())
                    .build()
                    .open("t/0", Duration.ofSeconds(15))) {
                await().atMost(60, SECONDS)
                        .until(() -> Sends.through(channel, Sends.event().build(), 1) instanceof Outcome.Delivered);
                gate.loseConnections();
                // Lost with it, unless so much time has passed that the connection is tried before it is used.
                Outcome lost = Sends.through(channel, Sends.event().build(), 1);
                assertThat(lost).isInstanceOfAny(Outcome.Retry.class, Outcome.Delivered.class);
                assertThat(Sends.through(channel, Sends.event().build(), 2)).isInstanceOf(Outcome.Delivered.class);
                assertThat(receiver.versions()).containsOnly("HTTP/2.0");
            }
        }
    }

    @Test
    void ofThreeAddressesTheLastIsReachedThoughTwoDoNotAnswer() throws Exception {
        try (Listener last = Listener.start(socket -> answerOnce(socket, false));
                Deaf one = new Deaf((byte) 2, last.port());
                Deaf other = new Deaf((byte) 3, last.port())) {
            HttpSink sink = Sends.sink("http://three.example:" + last.port() + "/")
                    .lookup(host -> new InetAddress[] {one.address(), other.address(), last.address()})
                    .build();
            Outcome outcome = Sends.one(sink, Sends.event().build(), Duration.ofSeconds(20));
            assertThat(outcome).isInstanceOf(Outcome.Delivered.class);
        }
    }

    /** Whoever connects to it gets no answer: all places in its queue are taken, and nobody calls them in. */
    private static final class Deaf implements AutoCloseable {

        private final ServerSocket server;
        private final List<Socket> queue = new ArrayList<>();

        Deaf(byte number, int port) throws IOException {
            server = new ServerSocket(port, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, number}));
            try {
                while (true) {
                    Socket socket = new Socket();
                    queue.add(socket);
                    socket.connect(server.getLocalSocketAddress(), 300);
                }
            } catch (SocketTimeoutException full) {
                queue.remove(queue.size() - 1).close();
            }
        }

        InetAddress address() {
            return server.getInetAddress();
        }

        @Override
        public void close() throws IOException {
            for (Socket socket : queue) {
                socket.close();
            }
            server.close();
        }
    }

    @Test
    void http2IsSpokenWithWhoeverSpeaksIt(@TempDir Path directory) throws Exception {
        Certificates certificates = Certificates.in(directory);
        try (Http2Receiver receiver = new Http2Receiver(certificates.server());
                Channel channel = Sends.sink(receiver.url())
                        .tls(Tls.builder().trustOnly(certificates.caPem()).build())
                        .build()
                        .open("t/0", Sends.TIMEOUT)) {
            // The answer comes before the connection is back in the pool, and only from there others can share it: by
            // the
            // third answer the first one's is.
            for (int i = 0; i < 3; i++) {
                assertThat(Sends.through(channel, Sends.event().build(), 1)).isInstanceOf(Outcome.Delivered.class);
            }
            // As many at a time as a connection carries: for more than that others are opened, how many depends on the
            // machine.
            for (int wave = 0; wave < 4; wave++) {
                List<CompletableFuture<Outcome>> outcomes = IntStream.range(0, 50)
                        .mapToObj(i -> Sends.begin(channel, Sends.event().build(), 1))
                        .toList();
                outcomes.forEach(outcome -> assertThat(Sends.get(outcome)).isInstanceOf(Outcome.Delivered.class));
            }
            assertThat(receiver.versions()).hasSize(203).containsOnly("HTTP/2.0");
            assertThat(receiver.ids()).hasSize(203).doesNotHaveDuplicates();
            assertThat(receiver.connections()).as("one carries many requests").isLessThan(10);
        }
    }
}
