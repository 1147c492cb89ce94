package dev.posthorn.server.events;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.audit.Actor;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.event.Event;
import dev.posthorn.relay.Relay;
import dev.posthorn.relay.Subscriptions;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Database;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class StatusTest {

    private static final StatusReader.Asked EVERYTHING = new StatusReader.Asked("", 1_000);

    private static void record(TestHub hub, String type) {
        hub.record(Event.builder().source("shop").type(type).key("k").json("{}").build());
    }

    private static JsonNode subscription(TestHub hub, int index, Predicate<JsonNode> until) {
        return await().atMost(90, SECONDS)
                .until(
                        () -> hub.rest()
                                .get("/v1/status")
                                .json()
                                .path("subscriptions")
                                .path(index),
                        each -> each.isObject() && until.test(each));
    }

    private static boolean isServedInVain(JsonNode subscription) {
        boolean isOwned = subscription.path("lanes").path(1).has("owner");
        return isOwned && subscription.has("breaker");
    }

    /** Each is read by a statement of its own, so that a reading in the middle of a settle has both. */
    private static boolean hasOnlyADeadLetter(JsonNode subscription) {
        long pending = subscription.get("pending").get("count").asLong();
        return pending == 0 && subscription.get("deadLetters").asLong() == 1;
    }

    @Test
    void lanesOwnersBreakersAndCountsAreShown() {
        try (TestHub hub = TestHub.start()) {
            Database database = hub.bean(Database.class);
            RecordingSink away =
                    RecordingSink.oneAtATime().answering(event -> new Outcome.Unavailable("connection refused"));
            RecordingSink picky = RecordingSink.oneAtATime().answering(event -> new Outcome.Reject("no"));
            try (Relay relay = Relay.builder(database.direct())
                    .instance("one")
                    .subscribe(Subscription.to("away", away).lanes(2).build())
                    .subscribe(Subscription.to("picky", picky).lanes(1).build())
                    .start()) {
                record(hub, "order.placed");
                JsonNode first = subscription(hub, 0, StatusTest::isServedInVain);
                assertThat(first.get("name").asString()).isEqualTo("away");
                assertThat(first.get("breaker").get("reason").asString()).isEqualTo("connection refused");
                assertThat(first.get("breaker").get("lanes").asInt()).isEqualTo(1);
                assertThat(first.get("pending").get("exact").asBoolean()).isTrue();
                assertThat(first.has("oldestAge")).isTrue();
                assertThat(first.get("instances").get(0).asString()).isEqualTo("one");
                assertThat(first.get("lanes")).hasSize(2);
                assertThat(first.get("lanes").get(1).get("owner").asString()).isEqualTo("one");
                assertThat(first.get("lanes").get(1).has("leaseExpiresAt")).isTrue();

                JsonNode second = subscription(hub, 1, StatusTest::hasOnlyADeadLetter);
                assertThat(second.get("pending").get("count").asLong()).isZero();
                assertThat(second.has("breaker")).isFalse();
                new Subscriptions(database.calls(), database.schema()).pause("picky", null, Actor.named("ops"));
                subscription(hub, 1, each -> each.get("paused").asBoolean());

                JsonNode all = hub.rest().get("/v1/status").json();
                assertThat(all.get("instances").get(0).asString()).isEqualTo(relay.instance());
                assertThat(all.get("database").get("ready").asBoolean()).isTrue();
                assertThat(all.get("log").get("newestSeq").asLong()).isEqualTo(1);
                assertThat(all.has("version")).isTrue();
            }
            JsonNode left =
                    subscription(hub, 0, each -> !each.get("lanes").get(0).has("owner"));
            assertThat(left.get("instances")).isEmpty();
        }
    }

    @Test
    void manyWhoAskAtOnceGetOneReading() {
        try (TestHub hub = TestHub.start()) {
            StatusReader reader = hub.bean(StatusReader.class);
            // A reading is old by the time of the second call where the machine stood still in between.
            await().atMost(60, SECONDS).untilAsserted(() -> {
                HubStatus one = reader.status(EVERYTHING);
                assertThat(reader.status(EVERYTHING)).isSameAs(one);
            });
            HubStatus first = reader.status(EVERYTHING);
            await().atMost(60, SECONDS)
                    .untilAsserted(() -> assertThat(reader.status(EVERYTHING)).isNotSameAs(first));
        }
    }

    @Test
    void aDatabaseThatIsAwayIsSaidAndNothingElse() {
        try (EmbeddedPostgres server = EmbeddedPostgres.temporary();
                TestHub hub = TestHub.startOn(
                        server.jdbcUrl(),
                        Map.of(
                                "posthorn.database.user", server.user(),
                                "posthorn.database.password", server.password(),
                                "posthorn.database.connect-timeout", "1s"))) {
            await().atMost(60, SECONDS)
                    .until(() -> hub.rest().get("/v1/status").json().has("subscriptions"));
            server.stop();
            JsonNode status = await().atMost(60, SECONDS)
                    .until(() -> hub.rest().get("/v1/status").json(), each -> !each.has("subscriptions"));
            assertThat(status.get("database").get("ready").asBoolean()).isFalse();
            assertThat(hub.rest().get("/v1/events").status()).isEqualTo(503);
        }
    }
}
