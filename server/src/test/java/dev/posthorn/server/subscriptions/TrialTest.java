package dev.posthorn.server.subscriptions;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.server.SharedHub;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import dev.posthorn.testkit.Receiver;
import dev.posthorn.testkit.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/** Samples that are sent to try a subscription out. */
@ExtendWith(SharedHub.class)
class TrialTest {

    private static TestHub hub;
    private static TestClient rest;

    private final Receiver receiver = Receiver.start();

    @BeforeAll
    static void start(TestHub shared) {
        hub = shared;
        rest = hub.rest();
    }

    @AfterEach
    void close() {
        receiver.close();
        rest.delete("/v1/subscriptions/tried");
        PatientCalls.awaitGone(rest, "tried");
    }

    private JsonNode tried(String body) {
        TestClient.Answer answer = body == null
                ? rest.post("/v1/subscriptions/tried/test")
                : rest.post("/v1/subscriptions/tried/test", body);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return answer.json();
    }

    private void subscribe(String url) {
        subscribe(url, "30s");
    }

    private void subscribe(String url, String timeout) {
        TestClient.Answer put = rest.put("/v1/subscriptions/tried", """
                {"timeout": "%s", "filter": {"types": ["nothing"]},
                 "sink": {"kind": "http", "url": "%s", "auth": {"kind": "bearer", "token": "t0ken"}}}
                """.formatted(timeout, url));
        assertThat(put.status()).as(put.text()).isEqualTo(201);
    }

    @Test
    void aSampleIsMarkedAndGoesTheWholeWay() {
        subscribe(receiver.url("/hook"));
        receiver.answering(202, "thank you");
        JsonNode answer = tried(null);
        assertThat(answer.path("outcome").stringValue()).isEqualTo("delivered");
        assertThat(answer.path("status").asInt()).isEqualTo(202);
        assertThat(answer.path("tookMillis").asInt()).isNotNegative();
        Request request = receiver.requests().get(0);
        assertThat(request.type()).isEqualTo("posthorn.test");
        assertThat(request.header("posthorn-test")).isEqualTo("true");
        assertThat(request.header("Authorization")).isEqualTo("Bearer t0ken");
        assertThat(request.text()).isEqualTo("{\"test\": true}");
    }

    @Test
    void aSampleMayBeGiven() {
        subscribe(receiver.url("/hook"));
        tried("{\"type\": \"order.placed\", \"data\": [1, 2], \"headers\": {\"tenant\": \"x\"}}");
        Request request = receiver.requests().get(0);
        assertThat(request.type()).isEqualTo("order.placed");
        assertThat(request.text()).isEqualTo("[1,2]");
        assertThat(request.header("tenant")).isEqualTo("x");
        assertThat(request.header("posthorn-test")).isEqualTo("true");
        assertThat(rest.post("/v1/subscriptions/tried/test", "{\"kind\": 5}").status())
                .isEqualTo(400);
    }

    @Test
    void aFailureIsToldAsItIs() {
        subscribe(receiver.url("/hook"));
        receiver.answering(500, "out of paper");
        JsonNode answer = tried(null);
        assertThat(answer.path("outcome").stringValue()).isEqualTo("retry");
        assertThat(answer.path("status").asInt()).isEqualTo(500);
        assertThat(answer.path("reply").stringValue()).isEqualTo("out of paper");
        assertThat(answer.path("reason").stringValue()).contains("500");
        receiver.answering(410, "no more");
        assertThat(tried(null).path("outcome").stringValue()).isEqualTo("gone");
        assertThat(rest.get("/v1/subscriptions/tried").json().path("paused").asBoolean())
                .as("a sample changes nothing")
                .isFalse();
        receiver.answering(404, "who?");
        assertThat(tried(null).path("outcome").stringValue()).isEqualTo("reject");
    }

    @Test
    void aReceiverThatIsAwayIsUnavailable() {
        subscribe(receiver.url("/hook"));
        receiver.close();
        JsonNode answer = tried(null);
        assertThat(answer.path("outcome").stringValue()).isEqualTo("unavailable");
        assertThat(answer.has("status")).isFalse();
    }

    @Test
    void aReceiverThatHangsIsNotWaitedForAndItsConnectionIsClosed() {
        subscribe(receiver.url("/hook"), "1s");
        CountDownLatch never = new CountDownLatch(1);
        receiver.answering(request -> {
            never.await();
            return Receiver.Answer.status(200);
        });
        // A machine that is busy with other things may need to be asked more than once.
        JsonNode answer = await().atMost(60, SECONDS).until(() -> tried(null), TrialTest::isRetryInTime);
        never.countDown();
        assertThat(answer.path("outcome").stringValue()).isEqualTo("retry");
        assertThat(answer.path("tookMillis").asInt()).isBetween(900, 2_000);
    }

    private static boolean isRetryInTime(JsonNode answer) {
        boolean inTime = answer.path("tookMillis").asInt() <= 2_000;
        return inTime && answer.path("outcome").stringValue().equals("retry");
    }

    /** Each keeps a thread waiting: with as many as there are, nobody else would be answered. */
    @Test
    void onlySoManyAreTriedAtATime() {
        subscribe(receiver.url("/hook"), "60s");
        CountDownLatch answered = new CountDownLatch(1);
        receiver.answering(request -> {
            answered.await();
            return Receiver.Answer.status(200);
        });
        ExecutorService threads = Executors.newCachedThreadPool();
        List<CompletableFuture<TestClient.Answer>> tests = new ArrayList<>();
        try {
            for (int i = 0; i < 8; i++) {
                tests.add(CompletableFuture.supplyAsync(() -> rest.post("/v1/subscriptions/tried/test"), threads));
            }
            await().atMost(60, SECONDS).until(() -> receiver.count() == 8);
            TestClient.Answer ninth = rest.post("/v1/subscriptions/tried/test");
            assertThat(ninth.status()).isEqualTo(429);
            assertThat(ninth.header("Retry-After")).isEqualTo("1");
        } finally {
            answered.countDown();
            threads.shutdown();
        }
        assertThat(tests).allSatisfy(each -> assertThat(each.join().status()).isEqualTo(200));
        assertThat(rest.post("/v1/subscriptions/tried/test").status()).isEqualTo(200);
    }

    @Test
    void nobodyIsTriedWhoIsNotThere() {
        assertThat(rest.post("/v1/subscriptions/nobody/test").status()).isEqualTo(404);
    }
}
