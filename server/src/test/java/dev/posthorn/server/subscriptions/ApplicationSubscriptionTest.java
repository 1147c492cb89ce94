package dev.posthorn.server.subscriptions;

import static dev.posthorn.server.subscriptions.Publishing.publish;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.log.Filter;
import dev.posthorn.relay.Relay;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Database;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What an application's own relay serves in the hub's database is seen there, paused and resumed, and not changed. */
class ApplicationSubscriptionTest {

    private static final String BASE = "/v1/subscriptions/";
    private static final String DOCUMENT = "{\"sink\": {\"kind\": \"http\", \"url\": \"http://127.0.0.1:9/\"}}";

    private final TestHub hub = TestHub.start();
    private final TestClient rest = hub.rest();
    private final RecordingSink sink = RecordingSink.oneAtATime();
    private final Relay relay = Relay.builder(hub.bean(Database.class).direct())
            .instance("shop-1")
            .subscribe(Subscription.to("b-theirs", sink)
                    .filter(Filter.types("order.*", "stock.*").header("tenant", "blue"))
                    .lanes(2)
                    .build())
            .subscribe(Subscription.to("d-all", sink).build())
            .start();

    @AfterEach
    void stop() {
        relay.close();
        hub.close();
    }

    @Test
    void itIsListedAmongTheHubsOwnByName() {
        for (String name : List.of("a-ours", "c-ours")) {
            assertThat(rest.put(BASE + name, DOCUMENT).status()).isEqualTo(201);
        }
        assertThat(listed(1000)).containsExactly("a-ours", "b-theirs application", "c-ours", "d-all application");
        assertThat(listed(1)).as("page by page").isEqualTo(listed(1000));
        await().atMost(60, SECONDS)
                .untilAsserted(
                        () -> assertThat(names(rest.get("/v1/status").json().path("subscriptions")))
                                .isEqualTo(listed(1000)));

        Answer answer = rest.get(BASE + "b-theirs");
        assertThat(answer.header("ETag")).isEmpty();
        JsonNode theirs = answer.json();
        assertThat(theirs.path("state").stringValue()).isEqualTo("active");
        assertThat(theirs.path("filter").toString())
                .isEqualTo("{\"types\":[\"order.*\",\"stock.*\"],\"headers\":{\"tenant\":\"blue\"}}");
        assertThat(theirs.path("lanes").asInt()).isEqualTo(2);
        assertThat(theirs.has("createdAt")).isTrue();
        assertThat(theirs.has("revision")).isFalse();
        assertThat(rest.get(BASE + "b-theirs/revisions").json().path("items")).isEmpty();
    }

    private List<String> listed(int limit) {
        List<String> names = new ArrayList<>();
        String after = "";
        do {
            JsonNode page = rest.get("/v1/subscriptions?limit=" + limit + after).json();
            names.addAll(names(page.path("items")));
            after = page.has("next") ? "&after=" + page.path("next").stringValue() : "";
        } while (!after.isEmpty());
        return names;
    }

    private static List<String> names(JsonNode items) {
        return items.values().stream()
                .map(each -> (each.path("name").stringValue() + " "
                                + each.path("servedBy").asString(""))
                        .strip())
                .toList();
    }

    @Test
    void itIsChangedWhereItIsMade() {
        refused(rest.put(BASE + "d-all", DOCUMENT), "change it there, or choose another name");
        refused(rest.delete(BASE + "d-all"), "take it out of the application, and delete it there");
        refused(rest.post(BASE + "d-all/test"), "its sink is known there alone");
        publish(hub, "order.placed");
        await().atMost(60, SECONDS).until(() -> sink.received().size() == 1);
    }

    private static void refused(Answer answer, String remedy) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(409);
        assertThat(answer.text()).contains("'d-all' is served by an application's own relay", remedy);
    }

    @Test
    void itIsPausedAndResumedAndTheAuditTellsWhoDidSo() {
        await().atMost(60, SECONDS).until(() -> relay.lanes().size() == 6);
        PatientCalls.pause(rest, "d-all");
        publish(hub, "order.placed");
        relay.wake();
        await().during(1, SECONDS)
                .atMost(60, SECONDS)
                .until(() -> sink.received().isEmpty());
        assertThat(rest.post(BASE + "d-all/resume").json().path("state").stringValue())
                .isEqualTo("active");
        await().atMost(60, SECONDS).until(() -> sink.received().size() == 1);
        assertThat(rest.get("/v1/audit?target=subscription/d-all").json().path("items").values().stream()
                        .map(entry -> entry.path("action").stringValue() + " by "
                                + entry.path("actor").stringValue()))
                .containsExactly("subscription.resume by local", "subscription.pause by local");
    }

    @Test
    void aNameThatNobodyServesIsUnknown() {
        for (String call : List.of("pause", "resume", "test")) {
            assertThat(rest.post(BASE + "nobody/" + call).status()).as(call).isEqualTo(404);
        }
        assertThat(rest.get(BASE + "nobody/revisions").status()).isEqualTo(404);
    }
}
