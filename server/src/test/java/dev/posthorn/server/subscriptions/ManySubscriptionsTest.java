package dev.posthorn.server.subscriptions;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.audit.Actor;
import dev.posthorn.event.Event;
import dev.posthorn.relay.Subscriptions;
import dev.posthorn.server.SharedHub;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.Sink;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testkit.Receiver;
import dev.posthorn.testkit.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/** Many subscriptions are made by one call, or none of them. */
@ExtendWith(SharedHub.class)
class ManySubscriptionsTest {

    private static final String PATH = "/v1/subscriptions";
    private static final String SINK = "\"sink\": {\"kind\": \"http\", \"url\": \"http://127.0.0.1:9/x\"}";

    private static TestHub hub;
    private static TestClient rest;

    @BeforeAll
    static void start(TestHub shared) {
        hub = shared;
        rest = hub.rest();
    }

    @Test
    void allAreMadeAndServedAndInTheAudit() throws Exception {
        try (Receiver receiver = Receiver.start()) {
            String sink = "\"sink\": {\"kind\": \"http\", \"url\": \"" + receiver.url("/%s") + "\"}";
            List<String> names =
                    IntStream.range(0, 20).mapToObj(i -> "many-" + i).toList();
            Answer answer = post(names.stream()
                    .map(name ->
                            one(name, sink.formatted(name) + ", \"filter\": {\"types\": [\"many.*\"]}, \"lanes\": 1"))
                    .toArray(String[]::new));
            assertThat(answer.status()).as(answer.text()).isEqualTo(201);
            assertThat(results(answer))
                    .containsExactlyElementsOf(
                            names.stream().map(name -> name + " created 1").toList());
            Event event = Event.builder()
                    .source("many")
                    .type("many.made")
                    .contentType(Event.JSON)
                    .payload(new byte[] {'1'})
                    .build();
            hub.record(event);
            await().atMost(60, SECONDS)
                    .untilAsserted(() -> assertThat(receiver.requests().stream()
                                    .map(Request::path)
                                    .collect(Collectors.toSet()))
                            .containsAll(names.stream().map(name -> "/" + name).toList()));
            for (String name : names) {
                JsonNode entries =
                        rest.get("/v1/audit?target=subscription/" + name).json().path("items");
                assertThat(entries).hasSize(1);
                assertThat(entries.get(0).path("action").stringValue()).isEqualTo("subscription.create");
                assertThat(entries.get(0).path("detail").path("revision").stringValue())
                        .isEqualTo("1");
                assertThat(entries.get(0).path("detail").path("document").stringValue())
                        .contains("/" + name);
                assertThat(rest.get(PATH + "/" + name + "/revisions").json().path("items"))
                        .hasSize(1);
            }
        }
    }

    @Test
    void whatIsThereAsAskedForIsLeftAlone() {
        String secret = "\"sink\": {\"kind\": \"http\", \"url\": \"http://127.0.0.1:9/x\","
                + " \"auth\": {\"kind\": \"bearer\", \"token\": \"t0ken\"}}";
        assertThat(post(one("again-a", secret)).status()).isEqualTo(201);
        Answer both = post(one("again-a", secret), one("again-b", SINK));
        assertThat(both.status()).as(both.text()).isEqualTo(201);
        assertThat(results(both)).containsExactly("again-a unchanged 1", "again-b created 1");
        Answer repeated = post(one("again-a", secret), one("again-b", SINK));
        assertThat(repeated.status()).isEqualTo(200);
        assertThat(results(repeated)).containsExactly("again-a unchanged 1", "again-b unchanged 1");
        assertThat(rest.get(PATH + "/again-a").text()).doesNotContain("t0ken");
        assertThat(rest.get("/v1/audit?target=subscription/again-a").json().path("items"))
                .as("only what was done is written down")
                .hasSize(1);
    }

    @Test
    void oneThatIsThereWithAnotherDocumentIsAConflictAndNothingIsMade() {
        rest.put(PATH + "/taken", "{" + SINK + "}");
        Answer answer =
                post(one("free", SINK), one("taken", SINK + ", \"description\": \"another\""), one("taken-not", SINK));
        assertThat(answer.status()).as(answer.text()).isEqualTo(409);
        assertThat(fields(answer)).containsExactly("subscriptions[1].name");
        assertThat(answer.json().path("violations").get(0).path("rule").stringValue())
                .contains("PUT it by itself");
        requireNone("free", "taken-not");
        assertThat(rest.get(PATH + "/taken").json().path("revision").asInt()).isOne();
    }

    @Test
    void everythingThatIsWrongIsToldByItsPlaceAndNothingIsMade() {
        Answer answer = post(
                one("good", SINK),
                one("no-url", "\"sink\": {\"kind\": \"http\"}"),
                one("wrong-type", SINK + ", \"lanes\": \"four\", \"colour\": 1"),
                one("bad name", SINK),
                "{" + SINK + "}",
                one("good", SINK),
                one("slow", SINK + ", \"timeout\": \"2h\""),
                "7");
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(fields(answer))
                .containsExactlyInAnyOrder(
                        "subscriptions[1].sink.url",
                        "subscriptions[2].lanes",
                        "subscriptions[2].colour",
                        "subscriptions[3].name",
                        "subscriptions[4].name",
                        "subscriptions[5].name",
                        "subscriptions[7]");
        Answer built = post(one("good", SINK), one("slow", SINK + ", \"timeout\": \"2h\""));
        assertThat(built.status()).isEqualTo(400);
        assertThat(fields(built)).containsExactly("subscriptions[1].timeout");
        requireNone("good", "slow");
    }

    @Test
    void whereNothingMayBeSentIsToldByItsPlace() {
        String[] forbidden = IntStream.range(0, 40)
                .mapToObj(i -> one(
                        "inside-" + i,
                        "\"sink\": {\"kind\": \"http\", \"url\": \"http://" + (i == 7 ? "10.0.0.1" : "127.0.0.1") + "/"
                                + i + "\"}"))
                .toArray(String[]::new);
        Answer answer = post(forbidden);
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(fields(answer)).containsExactly("subscriptions[7].sink.url");
        requireNone("inside-0", "inside-39");
        Answer guard = post(one("guarded", "\"sink\": {\"kind\": \"guard\", \"guard\": \"nobody\"}"));
        assertThat(fields(guard)).containsExactly("subscriptions[0].sink.guard");
    }

    @Test
    void theBodyIsTheOneFieldWithOneToAThousandItems() {
        assertThat(fields(rest.post(PATH, "{}"))).containsExactly("subscriptions");
        assertThat(fields(rest.post(PATH, "{\"subscriptions\": []}"))).containsExactly("subscriptions");
        assertThat(fields(rest.post(PATH, "{\"subscriptions\": [], \"more\": 1}")))
                .containsExactly("more");
        Answer tooMany = post(IntStream.range(0, 1001)
                .mapToObj(i -> one("too-many-" + i, SINK))
                .toArray(String[]::new));
        assertThat(tooMany.status()).isEqualTo(400);
        assertThat(fields(tooMany)).containsExactly("subscriptions");
        Answer tooLong = post(one("long", SINK + ", \"description\": \"" + "x".repeat(70_000) + "\""));
        assertThat(fields(tooLong)).containsExactly("subscriptions[0]");
    }

    @Test
    void anApplicationsNameIsAConflict() {
        Subscriptions registered = hub.bean(Subscriptions.class);
        registered.register(Subscription.to("applications-own", new Nowhere()).build());
        try {
            Answer answer = post(one("beside", SINK), one("applications-own", SINK));
            assertThat(answer.status()).as(answer.text()).isEqualTo(409);
            assertThat(fields(answer)).containsExactly("subscriptions[1].name");
            requireNone("beside");
        } finally {
            registered.delete("applications-own", null, Actor.named("test"));
        }
    }

    /** Each call has some of the other's: one of the two makes them, and the other finds them there. */
    @Test
    void callsAtTheSameTimeMakeEachOnce() {
        for (int round = 0; round < 5; round++) {
            String prefix = "race-" + round + "-";
            List<CompletableFuture<Answer>> calls = new ArrayList<>();
            for (int caller = 0; caller < 4; caller++) {
                String[] asked = IntStream.range(caller * 5, caller * 5 + 20)
                        .mapToObj(i -> one(prefix + i, SINK))
                        .toArray(String[]::new);
                calls.add(CompletableFuture.supplyAsync(() -> post(asked)));
            }
            Set<String> created = new HashSet<>();
            calls.stream().map(CompletableFuture::join).forEach(answer -> {
                assertThat(answer.status()).as(answer.text()).isIn(200, 201);
                results(answer).stream()
                        .filter(each -> each.contains(" created "))
                        .forEach(each -> assertThat(created.add(each)).as(each).isTrue());
            });
            assertThat(created).hasSize(35).allMatch(each -> each.endsWith(" created 1"));
        }
    }

    /** Nothing is sent through it here. */
    private static final class Nowhere implements Sink {

        @Override
        public boolean keepsOrder() {
            return false;
        }

        @Override
        public int concurrency() {
            return 1;
        }

        @Override
        public Channel open(String lane, Duration timeout) {
            throw new IllegalStateException("nothing is sent here");
        }
    }

    private static void requireNone(String... names) {
        for (String name : names) {
            assertThat(rest.get(PATH + "/" + name).status()).as(name).isEqualTo(404);
        }
    }

    private static Answer post(String... subscriptions) {
        return rest.post(PATH, "{\"subscriptions\": [" + String.join(",", subscriptions) + "]}");
    }

    private static String one(String name, String rest) {
        return "{\"name\": \"" + name + "\", " + rest + "}";
    }

    private static List<String> results(Answer answer) {
        return items(answer, "subscriptions").stream()
                .map(each -> each.path("name").stringValue() + " "
                        + each.path("result").stringValue() + " "
                        + each.path("revision").asInt())
                .toList();
    }

    private static List<String> fields(Answer answer) {
        return items(answer, "violations").stream()
                .map(each -> each.path("field").stringValue())
                .toList();
    }

    private static List<JsonNode> items(Answer answer, String field) {
        return StreamSupport.stream(answer.json().path(field).spliterator(), false)
                .toList();
    }
}
