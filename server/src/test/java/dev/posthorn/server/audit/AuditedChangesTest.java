package dev.posthorn.server.audit;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Every change leaves one entry that tells who, what, when and by which request; what changes nothing leaves none. */
class AuditedChangesTest {

    private static final String ADMIN_KEY = "admin-key-of-the-settings";
    private static final String SECRET = "s3cret-value";
    private static final String SUBSCRIPTION = """
            {"description": "%s", "sink": {"kind": "http", "url": "http://127.0.0.1:9/x",
                                           "auth": {"kind": "bearer", "token": "%s"}}}
            """;
    private static final AtomicInteger REQUESTS = new AtomicInteger();

    private static TestHub hub;
    private static String operatorKey;

    @BeforeAll
    static void start() {
        hub = TestHub.start(Map.of("posthorn.access.admin-key", ADMIN_KEY, "posthorn.relay.enabled", "false"));
        operatorKey = as(ADMIN_KEY)
                .post("/v1/keys", "{\"name\": \"olga\", \"role\": \"operator\"}")
                .json()
                .path("key")
                .asString();
    }

    @AfterAll
    static void stop() {
        hub.close();
    }

    private static TestClient as(String key) {
        return hub.rest().with("Authorization", "Bearer " + key);
    }

    /** A call under an id of its own. */
    private record Request(String id, TestClient client) {

        static Request by(String key) {
            String id = "request-" + REQUESTS.incrementAndGet();
            return new Request(id, as(key).with("X-Request-Id", id));
        }

        List<JsonNode> entries() {
            return found("requestId=" + id);
        }
    }

    private static List<JsonNode> found(String query) {
        List<JsonNode> items = new ArrayList<>();
        as(ADMIN_KEY).get("/v1/audit?" + query).json().path("items").forEach(items::add);
        return items;
    }

    private static JsonNode only(Request request, String actor, String action, String target) {
        List<JsonNode> entries = request.entries();
        assertThat(entries).hasSize(1);
        JsonNode entry = entries.get(0);
        assertThat(entry.path("actor").asString()).isEqualTo(actor);
        assertThat(entry.path("action").asString()).isEqualTo(action);
        assertThat(entry.path("target").asString()).isEqualTo(target);
        assertThat(Instant.parse(entry.path("doneAt").asString()))
                .isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(60));
        assertThat(entry.toString())
                .doesNotContain(SECRET)
                .doesNotContain(ADMIN_KEY)
                .doesNotContain(operatorKey);
        return entry.path("detail");
    }

    private static TestClient.Answer ok(TestClient.Answer answer) {
        assertThat(answer.status()).as(answer.text()).isBetween(200, 204);
        return answer;
    }

    @Test
    void theKeyOfTheSettingsIsTheHubsOwnAct() {
        await().atMost(60, SECONDS)
                .untilAsserted(() -> assertThat(found("actor=hub")).hasSize(1));
        JsonNode entry = found("actor=hub").get(0);
        assertThat(entry.path("action").asString()).isEqualTo("key.configure");
        assertThat(entry.path("target").asString()).isEqualTo("key/admin");
        assertThat(entry.path("detail").path("role").asString()).isEqualTo("admin");
        assertThat(entry.has("requestId")).isFalse();
        assertThat(entry.toString()).doesNotContain(ADMIN_KEY);
        TestClient.Answer taken = as(ADMIN_KEY).post("/v1/keys", "{\"name\": \"hub\", \"role\": \"viewer\"}");
        assertThat(taken.status()).as("nobody can act under its name").isEqualTo(409);
    }

    /** The reason was taken for nothing: 200, whatever the body said, and an entry without it. */
    @Test
    void whyASubscriptionIsPausedOrResumedIsInItsEntry() {
        String path = "/v1/subscriptions/halted";
        ok(
                as(ADMIN_KEY)
                        .put(
                                path,
                                "{\"sink\": {\"kind\": \"http\", \"url\": \"http://127.0.0.1:9/\"}, \"filter\": {\"types\": [\"no\"]}}"));
        for (String verb : List.of("pause", "resume")) {
            Request why = Request.by(operatorKey);
            await().atMost(60, SECONDS).until(() -> {
                TestClient.Answer answer = why.client().post(path + "/" + verb, "{\"reason\": \"maintenance\"}");
                return answer.status() == 200;
            });
            only(why, "olga", "subscription." + verb, "subscription/halted");
            assertThat(why.entries().get(0).path("reason").asString()).isEqualTo("maintenance");

            Request wrong = Request.by(operatorKey);
            assertThat(wrong.client().post(path + "/" + verb, "not JSON").status())
                    .isEqualTo(400);
            assertThat(wrong.client()
                            .post(path + "/" + verb, "{\"raeson\": \"\"}")
                            .text())
                    .contains("did you mean reason?");
            assertThat(wrong.entries()).isEmpty();
        }
    }

    @Test
    void keysAreCreatedAndRevoked() {
        Request create = Request.by(ADMIN_KEY);
        String key = ok(create.client().post("/v1/keys", "{\"name\": \"shop\", \"role\": \"publisher\"}"))
                .json()
                .path("key")
                .asString();
        assertThat(only(create, "admin", "key.create", "key/shop").path("role").asString())
                .isEqualTo("publisher");
        assertThat(create.entries().toString()).doesNotContain(key);

        Request again = Request.by(ADMIN_KEY);
        assertThat(again.client()
                        .post("/v1/keys", "{\"name\": \"shop\", \"role\": \"publisher\"}")
                        .status())
                .isEqualTo(409);
        assertThat(again.entries()).isEmpty();

        Request revoke = Request.by(ADMIN_KEY);
        ok(revoke.client().delete("/v1/keys/shop"));
        assertThat(only(revoke, "admin", "key.revoke", "key/shop").path("role").asString())
                .isEqualTo("publisher");
        Request oncemore = Request.by(ADMIN_KEY);
        ok(oncemore.client().delete("/v1/keys/shop"));
        assertThat(oncemore.entries()).isEmpty();
    }

    @Test
    void subscriptionsAreCreatedChangedAndDeleted() {
        String path = "/v1/subscriptions/orders";
        Request create = Request.by(ADMIN_KEY);
        ok(create.client().put(path, SUBSCRIPTION.formatted("first", SECRET)));
        JsonNode made = only(create, "admin", "subscription.create", "subscription/orders");
        assertThat(made.path("revision").asString()).isEqualTo("1");
        assertThat(made.path("document").asString()).contains("\"description\":\"first\"", "********");

        Request same = Request.by(ADMIN_KEY);
        ok(same.client().put(path, SUBSCRIPTION.formatted("first", SECRET)));
        assertThat(same.entries()).isEmpty();

        Request change = Request.by(ADMIN_KEY);
        ok(change.client().put(path, SUBSCRIPTION.formatted("second", SECRET)));
        JsonNode changed = only(change, "admin", "subscription.change", "subscription/orders");
        assertThat(changed.path("revision").asString()).isEqualTo("2");
        assertThat(changed.path("changed").asString()).isEqualTo("description");
        assertThat(changed.path("document").asString()).contains("\"description\":\"second\"");

        Request secret = Request.by(ADMIN_KEY);
        ok(secret.client().put(path, SUBSCRIPTION.formatted("second", SECRET + "2")));
        assertThat(only(secret, "admin", "subscription.change", "subscription/orders")
                        .path("changed")
                        .asString())
                .isEqualTo("secrets");

        Request stale = Request.by(ADMIN_KEY);
        assertThat(stale.client()
                        .with("If-Match", "\"1\"")
                        .put(path, SUBSCRIPTION.formatted("third", SECRET))
                        .status())
                .isEqualTo(412);
        assertThat(stale.entries()).isEmpty();

        Request delete = Request.by(ADMIN_KEY);
        ok(delete.client().delete(path));
        assertThat(only(delete, "admin", "subscription.delete", "subscription/orders")
                        .path("revision")
                        .asString())
                .isEqualTo("4");
        Request gone = Request.by(ADMIN_KEY);
        assertThat(gone.client().delete(path).status()).isEqualTo(404);
        assertThat(gone.entries()).isEmpty();
    }

    @Test
    void subscriptionsArePausedResumedAndTested() {
        String path = "/v1/subscriptions/mails";
        ok(as(ADMIN_KEY).put(path, SUBSCRIPTION.formatted("mails", SECRET)));
        for (String verb : List.of("pause", "resume")) {
            Request request = Request.by(operatorKey);
            ok(request.client().post(path + "/" + verb));
            assertThat(only(request, "olga", "subscription." + verb, "subscription/mails")
                            .path("revision")
                            .asString())
                    .isEqualTo("1");
            Request again = Request.by(operatorKey);
            ok(again.client().post(path + "/" + verb));
            assertThat(again.entries()).isEmpty();
        }
        Request test = Request.by(operatorKey);
        ok(test.client().post(path + "/test", "{\"type\": \"mail.sent\", \"data\": {\"to\": \"ann\"}}"));
        List<JsonNode> entries = test.entries();
        assertThat(entries)
                .extracting(each -> each.path("action").asString())
                .containsExactly("subscription.tested", "subscription.test");
        assertThat(entries)
                .allSatisfy(each -> assertThat(each.path("actor").asString()).isEqualTo("olga"));
        assertThat(entries.get(1).at("/detail/type").asString()).isEqualTo("mail.sent");
        assertThat(entries.get(1).at("/detail/data").asString()).isEqualTo("{\"to\":\"ann\"}");
        Request wrong = Request.by(operatorKey);
        assertThat(wrong.client().post(path + "/test", "{\"type\": \"\"}").status())
                .isEqualTo(400);
        assertThat(wrong.entries()).isEmpty();
    }

    @Test
    void eventTypesAreRegisteredChangedAndForgotten() {
        String path = "/v1/event-types/order.placed";
        Request create = Request.by(ADMIN_KEY);
        ok(create.client().put(path, "{\"description\": \"an order\"}"));
        JsonNode made = only(create, "admin", "event-type.create", "event-type/order.placed");
        assertThat(made.path("revision").asString()).isEqualTo("1");
        assertThat(made.path("description").asString()).isEqualTo("an order");

        Request same = Request.by(ADMIN_KEY);
        ok(same.client().put(path, "{\"description\": \"an order\"}"));
        assertThat(same.entries()).isEmpty();

        Request change = Request.by(ADMIN_KEY);
        ok(change.client().put(path, "{\"aggregateType\": \"order\", \"jsonSchema\": {\"type\": \"object\"}}"));
        JsonNode changed = only(change, "admin", "event-type.change", "event-type/order.placed");
        assertThat(changed.path("changed").asString()).isEqualTo("aggregateType, description, jsonSchema");
        assertThat(changed.path("jsonSchema").asString()).isEqualTo("{\"type\":\"object\"}");

        Request delete = Request.by(ADMIN_KEY);
        ok(delete.client().delete(path));
        only(delete, "admin", "event-type.delete", "event-type/order.placed");
        Request gone = Request.by(ADMIN_KEY);
        assertThat(gone.client().delete(path).status()).isEqualTo(404);
        assertThat(gone.entries()).isEmpty();
    }

    @Test
    void aTypeThatRegistersItselfIsNobodysAct() {
        Request publish = Request.by(ADMIN_KEY);
        ok(publish.client()
                .post("/v1/events", "{\"source\": \"shop\", \"type\": \"cart.filled\", \"data\": {\"a\": 1}}"));
        assertThat(as(ADMIN_KEY).get("/v1/event-types/cart.filled").status()).isEqualTo(200);
        assertThat(publish.entries()).isEmpty();
        assertThat(found("target=event-type/cart.filled")).isEmpty();

        Request adopt = Request.by(ADMIN_KEY);
        ok(adopt.client().put("/v1/event-types/cart.filled", "{}"));
        assertThat(only(adopt, "admin", "event-type.change", "event-type/cart.filled")
                        .has("seen"))
                .isTrue();
    }

    @Test
    void aRequestWithoutAnIdIsGivenOne() {
        TestClient.Answer answer = ok(as(ADMIN_KEY).put("/v1/event-types/id.given", "{}"));
        assertThat(found("requestId=" + answer.header("X-Request-Id"))).hasSize(1);
    }
}
