package dev.posthorn.server.web;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.server.Liveness;
import dev.posthorn.server.RecordedAtHub;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever sends slowly, or too much at a time, keeps nobody else from being served. */
class SlowBodyTest {

    private static final String ADMIN_KEY = "admin-key-of-the-settings";
    private static final int PLACES = 8;

    /** More than the hub has threads for. */
    private static final int MANY = 60;

    /** As many as the hub lets in at a time. */
    private static final int CONNECTIONS = 100;

    private static final String LONG_BODY =
            "\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 16000000\r\n\r\n{";
    private static final String CHUNKED_BODY = "\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + "Transfer-Encoding: chunked\r\n\r\nffffff\r\n{";

    private static TestHub hub;
    private static TestClient admin;

    @BeforeAll
    static void start() {
        hub = TestHub.start(Map.of(
                "posthorn.access.admin-key", ADMIN_KEY,
                "posthorn.limits.concurrent-requests", PLACES,
                "server.tomcat.max-connections", CONNECTIONS,
                "posthorn.limits.request-time", "5s"));
        admin = hub.rest().with("Authorization", "Bearer " + ADMIN_KEY);
        // What is loaded with the first call is no matter of slow bodies.
        assertServed("the first");
    }

    @AfterAll
    static void stop() {
        hub.close();
    }

    private static String event(String id) {
        return "{\"id\": \"%s\", \"source\": \"shop\", \"type\": \"order.placed\", \"data\": 1}".formatted(id);
    }

    private static void assertServed(String id) {
        await("a publisher is served").atMost(60, SECONDS).until(() -> post(id).status() < 300);
    }

    /** Where it is crowded an idle connection may be closed just as it is used again: then it takes another one. */
    private static Answer post(String id) {
        for (int i = 1; i < MANY; i++) {
            try {
                return admin.post("/v1/events", event(id));
            } catch (UncheckedIOException closed) {
                // Once more.
            }
        }
        return admin.post("/v1/events", event(id));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "401 POST /v1/events HTTP/1.1\r\nAuthorization: Bearer wrong" + LONG_BODY,
                "401 POST /v1/events HTTP/1.1\r\nAuthorization: Bearer wrong" + CHUNKED_BODY,
                "404 POST /nowhere HTTP/1.1" + LONG_BODY,
                "200 GET /actuator/health/liveness HTTP/1.1" + LONG_BODY
            })
    void aBodyThatNobodyWantsTakesNoThread(String attack) throws Exception {
        try (Trickle slow = new Trickle(hub.httpPort(), MANY, attack.substring(4))) {
            Liveness.assertAnswers(hub);
            assertServed("beside " + attack.substring(0, 30).hashCode() + attack.length());
            await().atMost(60, SECONDS).until(slow::isEnded);
            assertThat(slow.answers())
                    .as("refused, or shed beyond what is served at a time")
                    .allSatisfy(answer -> assertThat(answer)
                            .containsPattern("^HTTP/1.1 (" + attack.substring(0, 3) + "|503) ")
                            .contains("Connection: close"));
        }
    }

    @Test
    void aBodyHasItsTime() throws Exception {
        String slowly = "POST /v1/events HTTP/1.1\r\nAuthorization: Bearer " + ADMIN_KEY + LONG_BODY;
        try (Trickle slow = new Trickle(hub.httpPort(), PLACES, slowly)) {
            Liveness.assertAnswers(hub);
            await().atMost(60, SECONDS).until(slow::isEnded);
            assertThat(slow.answers())
                    .allSatisfy(answer -> assertThat(answer)
                            .startsWith("HTTP/1.1 408")
                            .contains("urn:posthorn:problem:too-slow", "posthorn.limits.request-time"));
            assertServed("after the slow ones");
        }
    }

    @Test
    void whoeverSendsMuchInVainIsToldWhy() {
        byte[] much = new byte[6_000_000];
        TestClient stranger = hub.rest().with("Authorization", "Bearer wrong").with("Content-Type", "application/json");
        assertTold(401, stranger, much);
        byte[] tooMuch = new byte[20_000_000];
        TestClient known = admin.with("Content-Type", "application/json");
        assertTold(413, known, tooMuch);
    }

    /** A busy machine may not get rid of it in the two seconds for which it is heard out: then it sends it again. */
    private static void assertTold(int status, TestClient client, byte[] body) {
        await().atMost(60, SECONDS)
                .ignoreExceptionsInstanceOf(UncheckedIOException.class)
                .until(() -> client.call("POST", "/v1/events", body).status(), told -> told == status);
    }

    @Test
    void aSmallBodyThatIsRefusedCostsNoConnection() throws Exception {
        String refused = "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}";
        String last = refused.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
        assertThat(RawHttp.say(hub.httpPort(), refused + refused + last).split("HTTP/1.1 401", -1))
                .hasSize(4);
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET / HTTP/1.1\r\nX-Slow: ", "GET /actuator/health/liveness HTTP/1.1\r\nHost: a\r\n\r\n"})
    void connectionsThatOnlyTakeUpRoomAreClosed(String beginning) throws Exception {
        try (Trickle full = new Trickle(hub.httpPort(), CONNECTIONS + 2, beginning)) {
            Liveness.assertAnswers(hub);
            assertServed("beside " + beginning.length());
            // Sooner than the time for headers is up, which would close them too.
            await().atMost(10, SECONDS).until(() -> full.ended() >= CONNECTIONS / 4);
        }
    }

    @Test
    void thoseWhoDoNotReadWhatEverybodyMayReadTakeNoPlace() throws Exception {
        String often = "GET /v1/openapi.yaml HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(50);
        List<Socket> deaf = new ArrayList<>();
        try {
            for (int i = 0; i < 3 * PLACES; i++) {
                Socket socket = new Socket();
                socket.setReceiveBufferSize(1024);
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), hub.httpPort()));
                socket.getOutputStream().write(often.getBytes(ISO_8859_1));
                deaf.add(socket);
            }
            for (int i = 0; i < 10; i++) {
                assertThat(post("beside the deaf " + i).status()).isEqualTo(202);
            }
            Liveness.assertAnswers(hub);
        } finally {
            for (Socket each : deaf) {
                each.close();
            }
        }
    }

    @Test
    void aFloodIsShedAndWhatIsAcknowledgedIsThere() throws Exception {
        ExecutorService crowd = Executors.newFixedThreadPool(MANY);
        List<String> acknowledged;
        try {
            List<CompletableFuture<List<String>>> all = IntStream.range(0, MANY)
                    .mapToObj(i -> CompletableFuture.supplyAsync(() -> publish("flood-" + i + "-"), crowd))
                    .toList();
            Liveness.assertAnswers(hub);
            acknowledged = all.stream().flatMap(each -> each.join().stream()).toList();
        } finally {
            crowd.shutdown();
        }
        assertThat(acknowledged).isNotEmpty().hasSizeLessThan(MANY * 5);
        assertThat(RecordedAtHub.all(hub).stream()
                        .map(event -> String.valueOf(event.sourceId()))
                        .filter(id -> id.startsWith("flood-")))
                .containsAll(acknowledged)
                .doesNotHaveDuplicates();
    }

    /** Some events; those that were acknowledged. */
    private static List<String> publish(String prefix) {
        List<String> acknowledged = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Answer answer = post(prefix + i);
            if (answer.status() == 202) {
                acknowledged.add(prefix + i);
            } else {
                assertThat(answer.status()).isEqualTo(503);
                assertThat(answer.header("Retry-After")).isEqualTo("1");
            }
        }
        return acknowledged;
    }
}
