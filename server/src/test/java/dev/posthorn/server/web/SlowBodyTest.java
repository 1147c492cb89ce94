package dev.posthorn.server.web;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.server.Liveness;
import dev.posthorn.server.RecordedAtHub;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
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
                "posthorn.limits.request-time", "1s"));
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
        await("a publisher is served")
                .atMost(10, SECONDS)
                .until(() -> admin.post("/v1/events", event(id)).status() < 300);
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
            await().atMost(15, SECONDS).until(slow::isEnded);
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
            await().atMost(8, SECONDS).until(slow::isEnded);
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
        assertThat(stranger.call("POST", "/v1/events", much).status()).isEqualTo(401);
        byte[] tooMuch = new byte[20_000_000];
        TestClient known = admin.with("Content-Type", "application/json");
        assertThat(known.call("POST", "/v1/events", tooMuch).status()).isEqualTo(413);
    }

    @Test
    void aSmallBodyThatIsRefusedCostsNoConnection() throws Exception {
        String refused = "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}";
        String last = refused.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
        assertThat(RawHttp.say(hub.httpPort(), refused + refused + last).split("HTTP/1.1 401", -1))
                .hasSize(4);
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
            Answer answer = admin.post("/v1/events", event(prefix + i));
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
