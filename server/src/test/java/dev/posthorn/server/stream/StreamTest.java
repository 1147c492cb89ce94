package dev.posthorn.server.stream;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.event.Event;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class StreamTest {

    private static final String ADMIN_KEY = "admin-key-of-the-settings";
    private static final String[] ADMIN = {"Authorization", "Bearer " + ADMIN_KEY};

    private static final int LIMIT = 3;

    private static TestHub hub;
    private static TestClient rest;

    @BeforeAll
    static void start() {
        hub = TestHub.start(Map.of("posthorn.access.admin-key", ADMIN_KEY, "posthorn.stream.listeners", LIMIT));
        rest = hub.rest().with(ADMIN[0], ADMIN[1]);
    }

    @AfterAll
    static void stop() {
        hub.close();
    }

    /** Those of the tests before have gone, but nobody notices before something is written to them. */
    private static Watcher watch(String query, String... headers) {
        String[] all = new String[headers.length + 2];
        System.arraycopy(ADMIN, 0, all, 0, 2);
        System.arraycopy(headers, 0, all, 2, headers.length);
        await().pollInterval(50, MILLISECONDS).atMost(60, SECONDS).until(() -> {
            hub.bean(Listeners.class).heartbeat();
            return hub.bean(Listeners.class).count() < LIMIT;
        });
        return Watcher.of(hub.httpPort(), query, all);
    }

    private static UUID record(String type) {
        return hub.record(
                Event.builder().source("shop").type(type).key("k").json("{}").build());
    }

    private static void look() {
        hub.bean(StreamFeed.class).look();
    }

    @Test
    void saysHelloAndTellsWhenTheFiguresWereRead() {
        try (Watcher watcher = watch("")) {
            assertThat(watcher.status()).isEqualTo(200);
            assertThat(watcher.header("Content-Type")).startsWith("text/event-stream");
            assertThat(watcher.header("Cache-Control")).isEqualTo("no-store");
            Watcher.Said hello = watcher.next("hello");
            assertThat(hello.data().path("resumed").asBoolean()).isFalse();
            assertThat(hello.data().path("topics").size()).isEqualTo(4);
            Watcher.Said tick = watcher.next("overview");
            assertThat(tick.data().path("readAt").asString()).isNotEmpty();
            assertThat(tick.data().has("pending")).isTrue();
        }
    }

    @Test
    void tellsOfTheEventsThatOneWants() {
        try (Watcher watcher = watch("?topics=events&type=order.*&source=sh*&key=k")) {
            watcher.next("hello");
            look();
            record("user.created");
            UUID wanted = record("order.placed");
            Watcher.Said told = watcher.next("events");
            assertThat(told.data().path("events").size()).isEqualTo(1);
            assertThat(told.data().path("events").path(0).path("id").asString()).isEqualTo(wanted.toString());
            assertThat(told.data().path("events").path(0).has("data")).isFalse();
        }
    }

    @Test
    void whoComesAgainIsToldWhatItHasMissed() {
        String last;
        try (Watcher watcher = watch("?topics=events")) {
            watcher.next("hello");
            look();
            record("one");
            last = watcher.next("events").id();
        }
        UUID missed = record("two");
        look();
        try (Watcher again = watch("?topics=events", "Last-Event-ID", last)) {
            assertThat(again.next("hello").data().path("resumed").asBoolean()).isTrue();
            assertThat(again.next("events")
                            .data()
                            .path("events")
                            .path(0)
                            .path("id")
                            .asString())
                    .isEqualTo(missed.toString());
        }
        try (Watcher stranger = watch("?topics=events", "Last-Event-ID", "00000000-5")) {
            assertThat(stranger.next("hello").data().path("resumed").asBoolean())
                    .isFalse();
        }
    }

    @Test
    void tellsWhichSubscriptionsWereChanged() {
        try (Watcher watcher = watch("?topics=subscriptions")) {
            watcher.next("hello");
            String body = """
                    {"filter": {"types": ["none"]}, "sink": {"kind": "http", "url": "http://127.0.0.1:1/"}}
                    """;
            assertThat(rest.put("/v1/subscriptions/watched", body).status()).isEqualTo(201);
            // After the hub's first change of all it cannot tell which it was.
            JsonNode told = watcher.next("subscriptions").data();
            assertThat(told.path("more").asBoolean()
                            || told.path("names").path(0).asString().equals("watched"))
                    .as(told.toString())
                    .isTrue();
            assertThat(rest.post("/v1/subscriptions/watched/pause", "{}").status())
                    .isIn(200, 202);
            await().atMost(60, SECONDS)
                    .until(() -> watcher.next("subscriptions")
                            .data()
                            .path("names")
                            .path(0)
                            .asString()
                            .equals("watched"));
        } finally {
            rest.delete("/v1/subscriptions/watched");
        }
    }

    @Test
    void endsWhenTheKeyIsRevoked() throws Exception {
        String key = rest.post("/v1/keys", "{\"name\": \"guest\", \"role\": \"viewer\"}")
                .json()
                .path("key")
                .asString();
        try (Watcher guest = Watcher.of(hub.httpPort(), "", "X-API-Key", key);
                Watcher admin = watch("")) {
            guest.next("hello");
            admin.next("hello");
            assertThat(rest.delete("/v1/keys/guest").status()).isEqualTo(204);
            assertThat(guest.isEnded()).isTrue();
            admin.next("overview");
        }
    }

    @Test
    void noMoreMayWatchThanTheSettingSays() {
        await().pollInterval(50, MILLISECONDS).atMost(60, SECONDS).until(() -> {
            hub.bean(Listeners.class).heartbeat();
            return hub.bean(Listeners.class).count() == 0;
        });
        try (Watcher one = watch("");
                Watcher two = watch("");
                Watcher three = watch("")) {
            one.next("hello");
            two.next("hello");
            three.next("hello");
            TestClient.Answer fourth = rest.get("/v1/stream");
            assertThat(fourth.status()).isEqualTo(503);
            assertThat(fourth.text()).contains("posthorn.stream.listeners");
            assertThat(fourth.header("Retry-After")).isNotEmpty();
        }
        await().atMost(60, SECONDS).untilAsserted(() -> {
            hub.bean(Listeners.class).heartbeat();
            assertThat(hub.bean(Listeners.class).count()).isZero();
        });
        try (Watcher again = watch("")) {
            again.next("hello");
        }
    }

    @Test
    void refusesWhatThereIsNot() {
        TestClient.Answer topic = rest.get("/v1/stream?topics=weather");
        assertThat(topic.status()).isEqualTo(400);
        assertThat(topic.json().path("violations").path(0).path("field").asString())
                .isEqualTo("topics");
        assertThat(rest.get("/v1/stream?topics=events&subscription=nobody").status())
                .isEqualTo(404);
        assertThat(hub.rest().get("/v1/stream").status()).isEqualTo(401);
    }

    @Test
    void aHubThatEndsDoesNotWaitForThoseWhoWatch() throws Exception {
        TestHub other = TestHub.start();
        Watcher watcher = Watcher.of(other.httpPort(), "");
        watcher.next("hello");
        long begun = System.nanoTime();
        other.close();
        assertThat(watcher.isEnded()).isTrue();
        assertThat(SECONDS.convert(System.nanoTime() - begun, NANOSECONDS)).isLessThan(20);
    }
}
