package dev.posthorn.server.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestClient.Answer;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** What people and programs do with a guard. */
record Guarding(TestClient rest, String name) {

    private static final Pattern STOOD_STILL =
            Pattern.compile("the target has not acted on it: (it was not sent in time|no connection within)");

    private static final int MOST_TRIES = 10;

    static Guarding of(TestClient rest, String name, TargetSystem target, String more) {
        Answer answer = rest.put("/v1/guards/" + name, "{\"url\": \"%s\"%s}".formatted(target.url(), more));
        assertThat(answer.status()).as(answer.text()).isIn(200, 201);
        return new Guarding(rest, name);
    }

    static String event(UUID id, int amount) {
        return """
                {"id": "%s", "source": "shop", "type": "invoice.booked", "data": {"amount": %d}}
                """.formatted(id, amount);
    }

    Answer post(UUID id) {
        return sent(() -> rest.post("/v1/guard/" + name, event(id, 1)));
    }

    /** Calls once more, as callers are told to, where the hub stood still for a while and sent nothing for that. */
    static Answer sent(Supplier<Answer> call) {
        Answer answer = call.get();
        for (int i = 0; i < MOST_TRIES && STOOD_STILL.matcher(answer.text()).find(); i++) {
            answer = call.get();
        }
        return answer;
    }

    /** The problem's type, without what all have in common. */
    static String problem(Answer answer) {
        return answer.status() + " " + answer.json().path("type").asString("").replace("urn:posthorn:problem:", "");
    }

    JsonNode forward(UUID id) {
        Answer answer = rest.get("/v1/guards/" + name + "/forwards/" + id);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return answer.json();
    }

    String state(UUID id) {
        return forward(id).path("state").asString();
    }

    Answer decide(UUID id, String decision) {
        return rest.post(
                "/v1/guards/" + name + "/forwards/" + id + "/decision",
                "{\"decision\": \"%s\", \"reason\": \"looked into its books\"}".formatted(decision));
    }
}
