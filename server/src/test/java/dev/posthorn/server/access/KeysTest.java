package dev.posthorn.server.access;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Changes;
import dev.posthorn.server.database.Database;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class KeysTest {

    private static final int TRIES = 10;

    private static String database;
    private static TestHub hub;

    @BeforeAll
    static void start() {
        database = TestHub.newDatabase();
        hub = TestHub.startOn(database, Map.of());
    }

    @AfterAll
    static void stop() {
        hub.close();
    }

    @AfterEach
    void forgetAllKeys() {
        hub.bean(Database.class).queries().run("forgetting all keys", transaction -> {
            Changes.countUp(transaction, Changes.Topic.KEYS);
            return transaction.update("DELETE FROM posthorn.api_key", Map.of());
        });
        hub.bean(Changes.class).look();
    }

    @Test
    void withoutAnyKeyThisMachineMayDoEverythingAndNobodyElse() {
        assertThat(hub.rest().get("/v1/keys").status()).isEqualTo(200);
        assertThat(hub.rest().get("/actuator/prometheus").status()).isEqualTo(200);
        for (TestClient stranger : List.of(
                hub.rest().with("Origin", "https://evil.example"),
                hub.rest().with("Origin", "null"),
                hub.rest().with("Sec-Fetch-Site", "cross-site"),
                hub.rest().with("X-Forwarded-For", "10.0.0.1"),
                hub.rest().with("Forwarded", "for=10.0.0.1"),
                hub.rest().with("Authorization", "Bearer nonsense"))) {
            TestClient.Answer answer = stranger.get("/v1/keys");
            assertThat(answer.status()).isEqualTo(401);
            assertThat(answer.header("WWW-Authenticate")).isEqualTo("Bearer");
        }
        assertThat(hub.rest()
                        .with("Origin", "http://localhost:3000")
                        .get("/v1/keys")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void aNameOfAnotherMachineIsNotThisOne() {
        assertThat(local("evil.example:8080")).isFalse();
        assertThat(local("127.0.0.1.evil.example")).isFalse();
        assertThat(local("localhost:8080")).isTrue();
        assertThat(local("127.0.0.1:8080")).isTrue();
        assertThat(local("[::1]:8080")).isTrue();
    }

    private static boolean local(String host) {
        return new Call(null, java.net.InetAddress.getLoopbackAddress(), host, null, false).isLocal();
    }

    @Test
    void aKeyIsShownOnceAndStoredAsItsHash() {
        TestClient.Answer created = create(hub.rest(), "boss", "admin");
        String key = created.json().path("key").asString();
        assertThat(created.status()).isEqualTo(201);
        assertThat(created.header("Location")).isEqualTo("/v1/keys/boss");
        assertThat(created.header("Cache-Control")).contains("no-store");
        assertThat(key).matches("phk_[A-Za-z0-9_-]{43}");
        TestClient.Answer list = as(key).get("/v1/keys");
        assertThat(list.text()).doesNotContain(key, "hash");
        assertThat(list.json().path("items").get(0).path("createdBy").asString())
                .isEqualTo("local");
        byte[] stored = hub.bean(Database.class)
                .queries()
                .run(
                        "looking",
                        t -> t.list("SELECT hash FROM posthorn.api_key", Map.of(), row -> row.getBytes(1))
                                .get(0));
        assertThat(stored).isEqualTo(KeySecret.hash(key)).hasSize(32);
    }

    /** A cache on the way knows no callers by X-API-Key: it would show one what another may see. */
    @Test
    void noAnswerIsKeptByACache() {
        String boss = create(hub.rest(), "boss", "admin").json().path("key").asString();
        TestClient rest = hub.rest().with("X-API-Key", boss);
        for (String path : List.of(
                "/v1/events",
                "/v1/events/nothing",
                "/v1/subscriptions",
                "/v1/audit",
                "/v1/keys",
                "/actuator/prometheus")) {
            assertThat(rest.get(path).header("Cache-Control")).as(path).isEqualTo("no-store");
        }
        assertThat(hub.rest().get("/v1/events").header("Cache-Control"))
                .as("a refusal")
                .isEqualTo("no-store");
    }

    @Test
    void theFirstKeyMustBeAnAdminsAndClosesTheDoor() {
        TestClient.Answer refused = create(hub.rest(), "shop", "publisher");
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.json().path("detail").asString()).contains("role", "admin");
        String key = create(hub.rest(), "boss", "admin").json().path("key").asString();
        assertThat(hub.rest().get("/v1/keys").status()).isEqualTo(401);
        assertThat(hub.rest().get("/actuator/prometheus").status()).isEqualTo(401);
        assertThat(hub.rest().get("/actuator/health/readiness").status()).isEqualTo(200);
        assertThat(create(as(key), "shop", "publisher").status()).isEqualTo(201);
    }

    @Test
    void theLastAdminStaysAsLongAsThereAreOthers() {
        String boss = create(hub.rest(), "boss", "admin").json().path("key").asString();
        String shop = create(as(boss), "shop", "publisher").json().path("key").asString();
        TestClient.Answer refused = as(boss).delete("/v1/keys/boss");
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.json().path("detail").asString()).contains("last API key of an admin");
        assertThat(as(boss).delete("/v1/keys/shop").status()).isEqualTo(204);
        assertThat(as(boss).delete("/v1/keys/shop").status()).as("once more").isEqualTo(204);
        assertThat(as(shop).get("/v1/keys").status()).isEqualTo(401);
        assertThat(as(boss).delete("/v1/keys/boss").status()).isEqualTo(204);
        assertThat(hub.rest().get("/v1/keys").status())
                .as("open to this machine again")
                .isEqualTo(200);
    }

    @Test
    void aNameIsNeverUsedAgain() {
        String boss = create(hub.rest(), "boss", "admin").json().path("key").asString();
        create(as(boss), "shop", "publisher");
        as(boss).delete("/v1/keys/shop");
        assertThat(create(as(boss), "shop", "publisher").status()).isEqualTo(409);
        assertThat(create(as(boss), "admin", "admin").status()).isEqualTo(409);
        assertThat(create(as(boss), "local", "viewer").status()).isEqualTo(409);
        for (String imitation : List.of("Admin", "HUB", "Local", "Settings", "Shop", "BOSS")) {
            assertThat(create(as(boss), imitation, "viewer").status())
                    .as("'%s' would be read as another in the audit", imitation)
                    .isEqualTo(409);
        }
        assertThat(as(boss).delete("/v1/keys/nobody").status()).isEqualTo(404);
        assertThat(as(boss).get("/v1/keys").json().path("items").toString()).contains("\"name\":\"shop\"", "revokedAt");
    }

    @Test
    void whatIsWrongWithANewKeyIsNamed() {
        assertThat(create(hub.rest(), "", "admin").text()).contains("\"field\":\"name\"");
        assertThat(create(hub.rest(), "a b", "admin").text()).contains("\"field\":\"name\"");
        assertThat(create(hub.rest(), "a", "king").text()).contains("\"field\":\"role\"", "publisher, viewer");
        assertThat(hub.rest().post("/v1/keys", "{\"name\": \"a\"}").text()).contains("\"field\":\"role\"");
        assertThat(hub.rest().post("/v1/keys", "null").status()).isEqualTo(400);
    }

    @Test
    void theListGoesOnWhereItsTokenSays() {
        String boss = create(hub.rest(), "boss", "admin").json().path("key").asString();
        for (int i = 0; i < 4; i++) {
            create(as(boss), "key-" + i, "viewer");
        }
        List<String> names = new ArrayList<>();
        String after = "";
        do {
            JsonNode page = as(boss).get("/v1/keys?limit=2" + after).json();
            page.path("items").forEach(each -> names.add(each.path("name").asString()));
            after = page.has("next") ? "&after=" + page.path("next").asString() : "";
        } while (!after.isEmpty());
        assertThat(names).containsExactly("boss", "key-0", "key-1", "key-2", "key-3");
        assertThat(as(boss).get("/v1/keys?after=%C3%A4").status()).isEqualTo(400);
        assertThat(as(boss).get("/v1/keys?after=!!").status()).isEqualTo(400);
        assertThat(as(boss).get("/v1/keys?limit=0").status()).isEqualTo(400);
    }

    /**
     * Each change is made when the other has just seen the one before, so that it takes a whole interval of its looks.
     * A machine that stood still is given another try: a hub that looks too rarely is late every time.
     */
    @Test
    void aRevocationReachesTheOtherInstancesWithinASecond() {
        String boss = create(hub.rest(), "boss", "admin").json().path("key").asString();
        try (TestHub other = TestHub.startOn(database, Map.of())) {
            boolean inTime = false;
            for (int i = 0; i < TRIES && !inTime; i++) {
                inTime = isKnownAndGoneInTime(other, boss, "shop-" + i);
            }
            assertThat(inTime).isTrue();
        }
    }

    private static boolean isKnownAndGoneInTime(TestHub other, String boss, String name) {
        String shop = create(as(boss), name, "viewer").json().path("key").asString();
        TestClient there = other.rest().with("Authorization", "Bearer " + shop);
        boolean known = isWithinASecond(there, 403);
        as(boss).delete("/v1/keys/" + name);
        boolean gone = isWithinASecond(there, 401);
        return known && gone;
    }

    /** Whether it gets this answer, which it does get, so soon. */
    private static boolean isWithinASecond(TestClient there, int status) {
        long begun = System.nanoTime();
        await().pollInterval(20, MILLISECONDS)
                .atMost(60, SECONDS)
                .until(() -> there.get("/v1/keys").status() == status);
        return System.nanoTime() - begun < SECONDS.toNanos(1);
    }

    private static TestClient as(String key) {
        return hub.rest().with("Authorization", "Bearer " + key);
    }

    private static TestClient.Answer create(TestClient client, String name, String role) {
        return client.post("/v1/keys", "{\"name\": \"%s\", \"role\": \"%s\"}".formatted(name, role));
    }

    @Test
    void aKeyMayBeGivenTheRightToSeePayloads() {
        TestClient.Answer boss = hub.rest().post("/v1/keys", "{\"name\": \"boss\", \"role\": \"admin\"}");
        assertThat(boss.json().get("payload").asBoolean()).isTrue();
        TestClient admin = hub.rest()
                .with("Authorization", "Bearer " + boss.json().get("key").asString());
        assertThat(admin.post("/v1/keys", "{\"name\": \"v\", \"role\": \"viewer\"}")
                        .json()
                        .get("payload")
                        .asBoolean())
                .isFalse();
        assertThat(admin.post("/v1/keys", "{\"name\": \"w\", \"role\": \"viewer\", \"payload\": true}")
                        .json()
                        .get("payload")
                        .asBoolean())
                .isTrue();
        List<String> listed = new ArrayList<>();
        admin.get("/v1/keys")
                .json()
                .get("items")
                .forEach(key -> listed.add(key.get("name").asString() + " " + key.get("payload")));
        assertThat(listed).containsExactly("boss true", "v false", "w true");
        for (String senseless : List.of("publisher\", \"payload\": true", "admin\", \"payload\": false")) {
            TestClient.Answer refused = admin.post("/v1/keys", "{\"name\": \"x\", \"role\": \"" + senseless + "}");
            assertThat(refused.status()).isEqualTo(400);
            assertThat(refused.json().get("violations").get(0).get("field").asString())
                    .isEqualTo("payload");
        }
    }
}
