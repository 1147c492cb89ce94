package dev.posthorn.server.subscriptions;

import static dev.posthorn.server.subscriptions.Publishing.event;
import static dev.posthorn.server.subscriptions.Publishing.publish;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.event.Event;
import dev.posthorn.log.Queries;
import dev.posthorn.relay.LiveLanes;
import dev.posthorn.relay.Subscriptions;
import dev.posthorn.relay.lane.Lane;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Database;
import dev.posthorn.testkit.Receiver;
import dev.posthorn.testkit.Request;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class SubscriptionDeliveryTest {

    private static TestHub hub;
    private static TestClient rest;

    private final Receiver receiver = Receiver.start();

    @BeforeAll
    static void start() {
        hub = TestHub.start();
        rest = hub.rest();
    }

    @AfterAll
    static void stop() {
        hub.close();
    }

    @AfterEach
    void close() {
        receiver.close();
    }

    @Test
    void theExampleOfTheReadmeDelivers() {
        String body = """
                {"filter": {"types": ["user.*"]},
                 "sink": {"kind": "http", "url": "http://127.0.0.1:9999/hook",
                          "auth": {"kind": "bearer", "token": "s3cret"}},
                 "retry": {"maxAttempts": 5, "delays": ["30s", "1m", "2m", "5m"]},
                 "timeout": "10s"}
                """.replace("9999", String.valueOf(receiver.port()));
        assertThat(rest.put("/v1/subscriptions/users", body).status()).isEqualTo(201);
        publish(hub, "order.placed", "user.created");
        await().atMost(60, SECONDS).until(() -> !receiver.requests().isEmpty());
        Request request = receiver.requests().get(0);
        assertThat(request.path()).isEqualTo("/hook");
        assertThat(request.type()).isEqualTo("user.created");
        assertThat(request.header("Authorization")).isEqualTo("Bearer s3cret");
        PatientCalls.delete(rest, "users");
    }

    /** What the PUT promises: one that starts now gets what is recorded after the answer. */
    @Test
    void whatIsPublishedRightAfterTheAnswerIsDelivered() {
        List<String> expected = new ArrayList<>();
        for (int batch = 0; batch < 3; batch++) {
            for (int i = 0; i < 10; i++) {
                String type = "round." + batch + "." + i;
                expected.add(type);
                publish(hub, type);
                put(type, """
                        {"filter": {"types": ["%s"]}, "lanes": 1, "sink": %s}
                        """.formatted(type, sink("/")));
                publish(hub, type);
            }
            await().atMost(60, SECONDS)
                    .untilAsserted(() -> assertThat(receiver.types()).hasSizeGreaterThanOrEqualTo(expected.size()));
            expected.subList(batch * 10, batch * 10 + 10).parallelStream()
                    .forEach(type -> rest.delete("/v1/subscriptions/" + type));
        }
        assertThat(receiver.types()).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void startsNowAtTheBeginningOrAtATime() {
        String type = "start." + UUID.randomUUID();
        publish(hub, type + ".1");
        Instant between = databaseTime();
        publish(hub, type + ".2");
        for (String start : List.of("now", "beginning", between.toString())) {
            put("start-" + start.substring(0, 3), """
                    {"filter": {"types": ["%s*"]}, "start": "%s", "sink": %s}
                    """.formatted(type, start, sink("/" + start.substring(0, 3))));
        }
        publish(hub, type + ".3");
        await().atMost(60, SECONDS)
                .untilAsserted(() -> assertThat(receiver.types()).hasSize(6));
        assertThat(receiver.types("/now")).containsExactly(type + ".3");
        assertThat(receiver.types("/beg")).containsExactly(type + ".1", type + ".2", type + ".3");
        assertThat(receiver.types("/" + between.toString().substring(0, 3))).containsExactly(type + ".2", type + ".3");
    }

    private static Instant databaseTime() {
        String now = "SELECT posthorn.clock() AS now";
        return hub.bean(Database.class)
                .queries()
                .run(
                        "asking for the time",
                        t -> t.list(now, Map.of(), row -> Queries.time(row, "now"))
                                .get(0));
    }

    @Test
    void aChangeOfTheUrlUnderLoadNeitherLosesNorRepeats() {
        String document = "{\"filter\": {\"types\": [\"load.*\"]}, \"sink\": {\"kind\": \"http\", \"url\": \"%s\"}}";
        put("load", document.formatted(receiver.url("/0")));
        List<String> ids = new ArrayList<>();
        AtomicBoolean changed = new AtomicBoolean();
        CompletableFuture<Void> load = CompletableFuture.runAsync(() -> {
            while (!changed.get()) {
                List<Event> events = IntStream.range(0, 10)
                        .mapToObj(n -> event("load.x", "k" + n))
                        .toList();
                publish(hub, events);
                events.forEach(event -> ids.add(event.id().toString()));
                await().pollInterval(1, MILLISECONDS)
                        .atMost(60, SECONDS)
                        .until(() -> ids.size() - receiver.count() < 200);
            }
        });
        for (int i = 1; i <= 10; i++) {
            int before = receiver.count();
            await().atMost(60, SECONDS).until(() -> receiver.count() > before + 20);
            assertThat(rest.put("/v1/subscriptions/load", document.formatted(receiver.url("/" + i)))
                            .status())
                    .isEqualTo(200);
            String path = "/" + i;
            // Of some the effect is waited for; the others are changed again when that may be yet to come.
            if (i % 3 == 0) {
                await().atMost(60, SECONDS).until(() -> !receiver.types(path).isEmpty());
            }
        }
        changed.set(true);
        load.join();
        await().atMost(60, SECONDS)
                .untilAsserted(() -> assertThat(receiver.requests()).hasSizeGreaterThanOrEqualTo(ids.size()));
        assertThat(receiver.repeated()).isEmpty();
        assertThat(receiver.requests().stream().map(Request::id).toList()).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(receiver.requests().stream().map(Request::path).distinct())
                .as("the changes took effect while events came")
                .hasSizeGreaterThan(3);
    }

    @Test
    void onlyEventsWithTheHeadersOfItsFilterAreSent() {
        put("headers", """
                {"filter": {"types": ["headers.*"], "headers": {"region": "eu"}}, "sink": %s}
                """.formatted(sink("/")));
        for (String region : List.of("us", "eu")) {
            Event event = Event.builder()
                    .source("test")
                    .type("headers." + region)
                    .header("region", region)
                    .json("{}")
                    .build();
            publish(hub, List.of(event));
        }
        publish(hub, "headers.none");
        await().atMost(60, SECONDS).until(() -> !receiver.types().isEmpty());
        assertThat(receiver.types()).containsExactly("headers.eu");
    }

    @Test
    void noMoreIsSentThanItsRateAllows() {
        put("slow", """
                {"filter": {"types": ["slow.*"]}, "ratePerSecond": 0.01, "sink": %s}
                """.formatted(sink("/")));
        publish(hub, "slow.1", "slow.2");
        await().atMost(60, SECONDS).until(() -> !receiver.types().isEmpty());
        await().during(1, SECONDS)
                .atMost(60, SECONDS)
                .until(() -> receiver.types().size() == 1);
    }

    @Test
    void withoutAnOrderAFailedEventKeepsNoOtherOfItsKeyWaiting() {
        receiver.answering(request -> Receiver.Answer.status("free.1".equals(request.type()) ? 500 : 200));
        put("free", """
                {"filter": {"types": ["free.*"]}, "ordering": "none", "sink": %s}
                """.formatted(sink("/")));
        publish(hub, "free.1", "free.2");
        await().atMost(60, SECONDS).until(() -> receiver.types().contains("free.2"));
    }

    @Test
    void aPausedSubscriptionKeepsItsPlace() {
        put("paused", "{\"filter\": {\"types\": [\"paused.*\"]}, \"sink\": %s}".formatted(sink("/")));
        publish(hub, "paused.before");
        await().atMost(60, SECONDS).until(() -> receiver.types().size() == 1);
        PatientCalls.pause(rest, "paused");
        assertThat(rest.post("/v1/subscriptions/paused/pause")
                        .json()
                        .path("paused")
                        .asBoolean())
                .isTrue();
        publish(hub, "paused.meanwhile1", "paused.meanwhile2");
        await().during(1500, MILLISECONDS)
                .atMost(60, SECONDS)
                .until(() -> receiver.types().size() == 1);
        put200(
                "paused",
                "{\"filter\": {\"types\": [\"paused.*\"]}, \"timeout\": \"40s\", \"sink\": %s}".formatted(sink("/")));
        assertThat(receiver.types()).containsExactly("paused.before");
        assertThat(rest.post("/v1/subscriptions/paused/resume")
                        .json()
                        .path("state")
                        .stringValue())
                .isEqualTo("active");
        await().atMost(60, SECONDS).until(() -> receiver.types().size() == 3);
        assertThat(receiver.types()).containsExactly("paused.before", "paused.meanwhile1", "paused.meanwhile2");
    }

    @Test
    void aDeletedNameCanBeUsedAgainAndBeginsAnew() {
        String document = "{\"filter\": {\"types\": [\"again.*\"]}, \"start\": \"%s\", \"sink\": %s}";
        put("again", document.formatted("now", sink("/first")));
        publish(hub, "again.1");
        await().atMost(60, SECONDS).until(() -> receiver.types("/first").size() == 1);
        PatientCalls.delete(rest, "again");
        assertThat(rest.get("/v1/subscriptions/again").status()).isEqualTo(404);
        assertThat(rest.delete("/v1/subscriptions/again").status()).isEqualTo(404);
        publish(hub, "again.2");
        put("again", document.formatted("now", sink("/second")));
        publish(hub, "again.3");
        await().atMost(60, SECONDS).until(() -> receiver.types("/second").size() == 1);
        assertThat(receiver.types("/first")).containsExactly("again.1");
        assertThat(receiver.types("/second")).containsExactly("again.3");
        assertThat(rest.get("/v1/subscriptions/again").json().path("revision").asInt())
                .as("revisions count on: created, deleted, created")
                .isEqualTo(3);
    }

    /** One that is registered again after it was deleted would hold the log for ever. */
    @Test
    void aSubscriptionDeletedRightAfterItsCreationLeavesNothingBehind() {
        for (int i = 0; i < 15; i++) {
            String name = "short-lived-" + i;
            put(name, "{\"sink\": %s}".formatted(sink("/")));
            PatientCalls.delete(rest, name);
        }
        publish(hub, "something.else");
        put(
                "witness",
                "{\"start\": \"beginning\", \"filter\": {\"types\": [\"something.else\"]}, \"sink\": %s}"
                        .formatted(sink("/witness")));
        await().atMost(60, SECONDS).until(() -> !receiver.types("/witness").isEmpty());
        assertThat(hub.bean(Subscriptions.class).list())
                .extracting(Subscriptions.Stored::name)
                .noneMatch(name -> name.startsWith("short-lived"));
    }

    @Test
    void whileARequestIsUnderWayADeletionGoesOnInTheBackground() throws Exception {
        CompletableFuture<Void> answered = new CompletableFuture<>();
        receiver.answering(request -> {
            answered.join();
            return Receiver.Answer.status(200);
        });
        put("slow", "{\"filter\": {\"types\": [\"slow.*\"]}, \"timeout\": \"1m\", \"sink\": %s}".formatted(sink("/")));
        publish(hub, "slow.1");
        await().atMost(60, SECONDS).until(() -> !receiver.requests().isEmpty());
        assertThat(rest.delete("/v1/subscriptions/slow").status()).isEqualTo(202);
        assertThat(rest.get("/v1/subscriptions/slow").json().path("state").stringValue())
                .isEqualTo("deleting");
        TestClient.Answer refused = rest.put("/v1/subscriptions/slow", "{\"sink\": %s}".formatted(sink("/")));
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.header("Retry-After")).isEqualTo("1");
        answered.complete(null);
        await().atMost(60, SECONDS)
                .until(() -> rest.get("/v1/subscriptions/slow").status() == 404);
    }

    @Test
    void aChangeOfOneLeavesTheLanesOfTheOthersAlone() {
        put("alone", "{\"filter\": {\"types\": [\"alone\"]}, \"sink\": %s}".formatted(sink("/alone")));
        await().atMost(60, SECONDS).until(() -> lanes("alone").size() == 4);
        List<Lane> before = lanes("alone");
        String changed = "{\"filter\": {\"types\": [\"changed\"]}, \"sink\": %s}";
        put("changed", changed.formatted(sink("/1")));
        await().atMost(60, SECONDS).until(() -> lanes("changed").size() == 4);
        List<Lane> former = lanes("changed");
        put200("changed", changed.formatted(sink("/2")));
        await().atMost(60, SECONDS)
                .until(() -> lanes("changed").size() == 4 && Collections.disjoint(lanes("changed"), former));
        assertThat(lanes("alone")).isEqualTo(before);
    }

    private static List<Lane> lanes(String subscription) {
        return LiveLanes.of(hub.bean(RelayKeeper.class).relay(), subscription);
    }

    @Test
    void anotherNumberOfLanesIsPendingUntilItIsInEffect() {
        String document = "{\"filter\": {\"types\": [\"%s\"]}, \"lanes\": %d, \"sink\": %s}";
        put("lanes", document.formatted("lanes.a", 2, sink("/")));
        rest.post("/v1/subscriptions/lanes/pause");
        put200("lanes", document.formatted("lanes.b", 3, sink("/")));
        rest.post("/v1/subscriptions/lanes/resume");
        await().atMost(60, SECONDS)
                .until(() -> rest.get("/v1/subscriptions/lanes")
                        .json()
                        .path("state")
                        .stringValue()
                        .equals("active"));
        publish(hub, "lanes.a", "lanes.b");
        await().atMost(60, SECONDS).until(() -> !receiver.requests().isEmpty());
        assertThat(receiver.types()).containsExactly("lanes.b");
        assertThat(hub.bean(Subscriptions.class).list())
                .filteredOn(each -> each.name().equals("lanes"))
                .extracting(Subscriptions.Stored::lanes)
                .containsExactly(3);
    }

    private String sink(String path) {
        return "{\"kind\": \"http\", \"url\": \"" + receiver.url(path) + "\"}";
    }

    private static void put(String name, String document) {
        TestClient.Answer answer = rest.put("/v1/subscriptions/" + name, document);
        assertThat(answer.status()).as(answer.text()).isEqualTo(201);
    }

    private static void put200(String name, String document) {
        TestClient.Answer answer = rest.put("/v1/subscriptions/" + name, document);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    }
}
