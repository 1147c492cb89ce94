package dev.posthorn.server.guard;

import static dev.posthorn.server.guard.Guarding.problem;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
import dev.posthorn.testkit.FreePort;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Each event is forwarded once, whatever becomes of it, through two hubs on one database. */
class GuardTest {

    private static final String SHORT = ", \"timeout\": \"5s\"";

    private static TestHub hub;
    private static TestHub second;
    private static TestClient rest;

    private final TargetSystem target = new TargetSystem();
    private final UUID id = UUID.randomUUID();

    @BeforeAll
    static void start() {
        String database = TestHub.newDatabase();
        hub = TestHub.startOn(database, Map.of());
        second = TestHub.startOn(database, Map.of());
        rest = hub.rest();
    }

    @AfterAll
    static void stop() {
        second.close();
        hub.close();
    }

    @AfterEach
    void close() {
        target.close();
    }

    private Guarding guard(String name, String more) {
        return Guarding.of(rest, name, target, more);
    }

    private static Guarding atTheSecond(Guarding guard) {
        await().atMost(60, SECONDS).until(() -> second.bean(GuardKeeper.class).served(guard.name()) != null);
        return new Guarding(second.rest(), guard.name());
    }

    @Test
    void anEventIsForwardedOnceAndItsResultRemembered() {
        Guarding guard = guard("once", "");
        Answer first = guard.post(id);
        assertThat(first.status()).as(first.text()).isEqualTo(200);
        assertThat(first.json().path("duplicate").asBoolean()).isFalse();
        Answer again = atTheSecond(guard).post(id);
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.json().path("duplicate").asBoolean()).isTrue();
        for (Answer each : List.of(first, again)) {
            assertThat(each.json().path("status").asInt()).isEqualTo(200);
            assertThat(each.json().path("reply").asString()).isEqualTo("took it as 1");
            assertThat(each.json().path("id").asString()).isEqualTo(id.toString());
        }
        assertThat(target.acted()).containsExactly(id.toString());
        assertThat(guard.state(id)).isEqualTo("FORWARDED");
    }

    @Test
    void manyAtOnceAtTwoHubsMakeOneRequest() {
        Guarding guard = guard("crowd", "");
        List<Guarding> both = List.of(guard, atTheSecond(guard));
        ExecutorService threads = Executors.newFixedThreadPool(10);
        List<Answer> answers;
        try {
            answers = IntStream.range(0, 10)
                    .mapToObj(i ->
                            CompletableFuture.supplyAsync(() -> both.get(i % 2).post(id), threads))
                    .toList()
                    .stream()
                    .map(CompletableFuture::join)
                    .toList();
        } finally {
            threads.shutdownNow();
        }
        assertThat(target.acted()).hasSize(1);
        assertThat(answers)
                .allSatisfy(each -> assertThat(each.status()).as(each.text()).isIn(200, 409));
        assertThat(answers.stream()
                        .filter(each -> each.status() == 200)
                        .filter(each -> !each.json().path("duplicate").asBoolean()))
                .hasSize(1);
        assertThat(guard.post(id).json().path("duplicate").asBoolean()).isTrue();
    }

    @Test
    void anIdWithAnotherContentIsNoRepetition() {
        Guarding guard = guard("content", "");
        guard.post(id);
        Answer other = rest.post("/v1/guard/content", Guarding.event(id, 2));
        assertThat(problem(other)).isEqualTo("409 conflict");
        assertThat(other.json().path("violations").get(0).path("field").asString())
                .isEqualTo("id");
        assertThat(target.acted()).hasSize(1);
    }

    /** The second one was refused, as if it were the first with another content. */
    @Test
    void ofTwoSourcesWithOneIdEachIsForwardedOnce() {
        Guarding guard = guard("sources", "");
        String other = Guarding.event(id, 1).replace("shop", "warehouse");
        for (boolean duplicate : List.of(false, true)) {
            assertThat(guard.post(id).json().path("duplicate").asBoolean()).isEqualTo(duplicate);
            Answer answer = Guarding.sent(() -> rest.post("/v1/guard/sources", other));
            assertThat(answer.status()).as(answer.text()).isEqualTo(200);
            assertThat(answer.json().path("duplicate").asBoolean()).isEqualTo(duplicate);
            assertThat(answer.json().path("id").asString()).isEqualTo(id.toString());
        }
        assertThat(target.acted()).hasSize(2);
        assertThat(rest.get("/v1/guards/sources/forwards/" + id + "?source=warehouse")
                        .json()
                        .path("source")
                        .asString())
                .isEqualTo("warehouse");
    }

    @Test
    void aRefusalIsRememberedAndRepeatedOnlyIfAnOperatorSaysSo() {
        Guarding guard = guard("refusing", "");
        target.answers(500);
        assertThat(problem(guard.post(id))).isEqualTo("422 refused");
        target.answers(200);
        Answer again = guard.post(id);
        assertThat(problem(again)).isEqualTo("422 refused");
        assertThat(again.json().path("detail").asString()).contains("HTTP 500", "took it as 1");
        assertThat(guard.forward(id).path("status").asInt()).isEqualTo(500);
        assertThat(problem(guard.decide(id, "ARRIVED"))).isEqualTo("409 conflict");
        assertThat(guard.decide(id, "REPEAT").status()).isEqualTo(200);
        assertThat(guard.post(id).status()).isEqualTo(200);
        assertThat(target.acted()).hasSize(2);
    }

    private Guarding inDoubt(String name) {
        Guarding guard = guard(name, SHORT);
        target.fallsSilent();
        Answer answer = guard.post(id);
        assertThat(problem(answer)).isEqualTo("409 in-doubt");
        assertThat(answer.json().path("detail").asString()).contains("operator", "/forwards/" + id + "/decision");
        await().atMost(60, SECONDS).until(() -> target.acted().size() == 1);
        target.answers(200);
        assertThat(problem(guard.post(id))).isEqualTo("409 in-doubt");
        assertThat(problem(atTheSecond(guard).post(id))).isEqualTo("409 in-doubt");
        assertThat(target.acted()).as("nothing in doubt is repeated").hasSize(1);
        return guard;
    }

    @Test
    void whatIsInDoubtIsShownAndCountsAsForwardedOnceAnOperatorFoundIt() {
        Guarding guard = inDoubt("arrived");
        JsonNode listed =
                rest.get("/v1/guards/arrived/forwards?state=IN_DOUBT").json().path("items");
        assertThat(listed).hasSize(1);
        assertThat(listed.get(0).path("eventId").asString()).isEqualTo(id.toString());
        assertThat(listed.get(0).path("reason").asString()).contains("no answer within 5000 ms");
        assertThat(guard.rest().get("/v1/guards/arrived").json().path("inDoubt").asInt())
                .isEqualTo(1);
        assertThat(problem(rest.delete("/v1/guards/arrived"))).isEqualTo("409 conflict");
        Answer decided = guard.decide(id, "ARRIVED");
        assertThat(decided.status()).as(decided.text()).isEqualTo(200);
        assertThat(decided.json().path("state").asString()).isEqualTo("FORWARDED");
        assertThat(decided.json().path("decision").path("by").asString()).isEqualTo("local");
        Answer answer = guard.post(id);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.json().path("duplicate").asBoolean()).isTrue();
        assertThat(target.acted()).hasSize(1);
        assertThat(problem(guard.decide(id, "REPEAT"))).isEqualTo("409 conflict");
        JsonNode audited = rest.get("/v1/audit?action=guard.decide&target=guard/arrived")
                .json()
                .path("items");
        assertThat(audited).hasSize(1);
        assertThat(audited.get(0).path("reason").asString()).isEqualTo("looked into its books");
        assertThat(audited.get(0).path("detail").path("event").asString()).isEqualTo(id.toString());
        assertThat(rest.delete("/v1/guards/arrived").status()).isEqualTo(204);
    }

    @Test
    void whatDidNotArriveIsForwardedOnceMore() {
        Guarding guard = inDoubt("repeat");
        assertThat(guard.decide(id, "REPEAT").json().path("state").asString()).isEqualTo("FREE");
        Answer answer = guard.post(id);
        assertThat(answer.json().path("duplicate").asBoolean()).isFalse();
        assertThat(guard.post(id).json().path("duplicate").asBoolean()).isTrue();
        assertThat(target.acted()).hasSize(2);
        assertThat(guard.forward(id).path("attempt").asInt()).isEqualTo(2);
    }

    @Test
    void whatIsAbandonedIsNeverForwarded() {
        Guarding guard = inDoubt("abandon");
        assertThat(guard.decide(id, "ABANDON").status()).isEqualTo(200);
        Answer answer = guard.post(id);
        assertThat(problem(answer)).isEqualTo("409 conflict");
        assertThat(answer.json().path("detail").asString()).contains("abandoned", "looked into its books");
        assertThat(problem(guard.decide(id, "REPEAT"))).isEqualTo("409 conflict");
        assertThat(target.acted()).hasSize(1);
    }

    @Test
    void whatNeverReachedTheTargetIsForwardedWhenItComesAgain() {
        TargetSystem gone = new TargetSystem(FreePort.find());
        Guarding guard = Guarding.of(rest, "away", gone, "");
        gone.close();
        Answer away = guard.post(id);
        assertThat(problem(away)).isEqualTo("503 unavailable");
        assertThat(away.header("Retry-After")).isNotEmpty();
        assertThat(guard.state(id)).isEqualTo("FREE");
        try (TargetSystem back = new TargetSystem(gone.port())) {
            assertThat(guard.post(id).status()).isEqualTo(200);
            assertThat(back.acted()).hasSize(1);
        }
    }

    @Test
    void aTargetThatSaysThatItDidNothingGetsTheEventAgain() {
        Guarding guard = guard("busy", ", \"repeatOn\": [503, 418]");
        for (int status : List.of(503, 418)) {
            target.answers(status);
            assertThat(problem(guard.post(id))).isEqualTo("503 unavailable");
        }
        target.answers(200);
        assertThat(guard.post(id).json().path("duplicate").asBoolean()).isFalse();
        assertThat(target.acted()).hasSize(3);
        UUID other = UUID.randomUUID();
        target.answers(429);
        assertThat(problem(guard.post(other)))
                .as("429 is not among those given")
                .isEqualTo("422 refused");
    }

    /** An ordinary sink sends at once again what broke with a connection that was kept. */
    @Test
    void nothingIsSentTwiceBecauseAConnectionBreaks() {
        try (FickleTarget fickle = new FickleTarget()) {
            rest.put("/v1/guards/fickle", "{\"url\": \"%s\"}".formatted(fickle.url()));
            Guarding guard = new Guarding(rest, "fickle");
            List<UUID> ids = List.of(UUID.randomUUID(), UUID.randomUUID(), UUID.randomUUID());
            ids.forEach(guard::post);
            assertThat(fickle.acted()).doesNotHaveDuplicates().hasSize(3);
        }
    }

    @Test
    void cloudEventsAreTakenAndAnEventWithoutAnIdIsNot() {
        Guarding guard = guard("forms", "");
        TestClient binary = rest.with("ce-specversion", "1.0")
                .with("ce-id", "i-1")
                .with("ce-source", "shop")
                .with("ce-type", "invoice.booked");
        Answer first = Guarding.sent(() -> binary.post("/v1/guard/forms", "{}"));
        assertThat(first.status()).as(first.text()).isEqualTo(200);
        Answer structured = rest.with("Content-Type", "application/cloudevents+json")
                .call("POST", "/v1/guard/forms", """
                {"specversion": "1.0", "id": "i-1", "source": "shop", "type": "invoice.booked",
                 "datacontenttype": "application/json", "data": {}}
                """.getBytes(UTF_8));
        assertThat(structured.json().path("duplicate").asBoolean())
                .as(structured.text())
                .isTrue();
        assertThat(rest.get("/v1/guards/forms/forwards/i-1").json().path("id").asString())
                .isEqualTo("i-1");
        Answer nameless = rest.post("/v1/guard/forms", "{\"source\": \"shop\", \"type\": \"t\", \"data\": {}}");
        assertThat(problem(nameless)).isEqualTo("400 invalid-event");
        assertThat(nameless.json().path("detail").asString()).startsWith("id: ");
        assertThat(problem(rest.post("/v1/guard/forms", "[]"))).isEqualTo("400 invalid-request");
        assertThat(problem(rest.post("/v1/guard/nobody", Guarding.event(id, 1))))
                .isEqualTo("404 not-found");
        assertThat(guard.rest().get("/v1/guards/forms/forwards?limit=1").json().path("items"))
                .hasSize(1);
    }

    @Test
    void aGuardIsChangedByWhoeverKnowsItsRevisionAndShowsNoSecret() {
        String document = "{\"url\": \"%s\", \"auth\": {\"kind\": \"bearer\", \"token\": \"%s\"}, \"timeout\": \"%s\"}";
        TestClient onlyNew = rest.with("If-None-Match", "*");
        Answer made = onlyNew.put("/v1/guards/config", document.formatted(target.url(), "very-secret", "2s"));
        assertThat(made.status()).as(made.text()).isEqualTo(201);
        assertThat(made.text()).doesNotContain("very-secret").contains("********");
        assertThat(problem(onlyNew.put("/v1/guards/config", document.formatted(target.url(), "x", "2s"))))
                .isEqualTo("412 stale");
        String kept = document.formatted(target.url(), "********", "3s");
        Answer changed = rest.with("If-Match", made.header("ETag")).put("/v1/guards/config", kept);
        assertThat(changed.status()).as(changed.text()).isEqualTo(200);
        assertThat(changed.header("ETag")).isNotEqualTo(made.header("ETag"));
        assertThat(rest.with("If-Match", made.header("ETag"))
                        .put("/v1/guards/config", kept)
                        .status())
                .isEqualTo(412);
        assertThat(rest.put("/v1/guards/config", kept).header("ETag")).isEqualTo(changed.header("ETag"));
        assertThat(new Guarding(rest, "config").post(id).status()).isEqualTo(200);
        assertThat(rest.get("/v1/guards").text()).contains("config").doesNotContain("very-secret");
        assertThat(rest.get("/v1/audit?target=guard/config").text())
                .contains("guard.create", "guard.change")
                .doesNotContain("very-secret");
        Answer bad = rest.put("/v1/guards/config", "{\"url\": \"http://169.254.1.1/\"}");
        assertThat(bad.status()).isEqualTo(400);
        assertThat(bad.json().path("violations").get(0).path("field").asString())
                .isEqualTo("url");
        Answer wrong = rest.put("/v1/guards/config", "{\"url\": \"%s\", \"repeatOn\": [200]}".formatted(target.url()));
        assertThat(wrong.json().path("detail").asString()).startsWith("repeatOn[0]: ");
    }
}
