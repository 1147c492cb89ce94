package dev.posthorn.server.guard;

import static dev.posthorn.server.guard.Guarding.problem;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A guard takes what may be published, and nothing else. */
class GuardRulesTest {

    private static final String ADMIN_KEY = "admin-key-of-the-settings";

    private static TestHub hub;
    private static TestClient admin;
    private static TestClient shop;

    private final TargetSystem target = new TargetSystem();

    @BeforeAll
    static void start() {
        hub = TestHub.start(Map.of("posthorn.event-types", "strict", "posthorn.access.admin-key", ADMIN_KEY));
        admin = hub.rest().with("Authorization", "Bearer " + ADMIN_KEY);
        Answer key = admin.post("/v1/keys", "{\"name\": \"shop\", \"role\": \"publisher\"}");
        shop = hub.rest()
                .with("Authorization", "Bearer " + key.json().path("key").asString());
    }

    @AfterAll
    static void stop() {
        hub.close();
    }

    @AfterEach
    void close() {
        target.close();
        admin.delete("/v1/event-types/invoice.booked");
    }

    @Test
    void anEventKeepsTheRulesOfItsType() {
        UUID id = UUID.randomUUID();
        Guarding.of(admin, "typed", target, "");
        Guarding guard = new Guarding(shop, "typed");
        Answer unknown = guard.post(id);
        assertThat(problem(unknown)).isEqualTo("400 invalid-event");
        assertThat(unknown.text()).contains("\"field\":\"type\"", "invoice.booked");
        admin.put("/v1/event-types/invoice.booked", """
                {"jsonSchema": {"properties": {"amount": {"maximum": 0}}}}
                """);
        assertThat(guard.post(id).text()).contains("\"field\":\"data");
        assertThat(target.acted()).isEmpty();
        admin.put("/v1/event-types/invoice.booked", "{}");
        assertThat(guard.post(id).status()).isEqualTo(200);
        admin.delete("/v1/event-types/invoice.booked");
        assertThat(guard.post(id).json().path("duplicate").asBoolean())
                .as("what came before kept the rules of its time")
                .isTrue();
        assertThat(problem(guard.post(UUID.randomUUID()))).isEqualTo("400 invalid-event");
        assertThat(target.acted()).containsExactly(id.toString());
    }

    @Test
    void whatWasForwardedIsNotFoundByTrying() {
        admin.put("/v1/event-types/invoice.booked", "{}");
        UUID id = UUID.randomUUID();
        Guarding.of(admin, "guessed", target, "");
        assertThat(new Guarding(shop, "guessed").post(id).status()).isEqualTo(200);
        int conflicts = 0;
        boolean silent = false;
        // A pause that was over by the time of the next try is followed by one twice as long.
        for (int amount = 2; amount < 12 && !silent; amount++) {
            Answer tried = shop.post("/v1/guard/guessed", Guarding.event(id, amount));
            conflicts += tried.status() == 409 ? 1 : 0;
            silent = tried.status() == 429
                    && new Guarding(shop, "guessed").post(id).status() == 429;
        }
        assertThat(conflicts).isLessThan(8);
        assertThat(silent).as("no answer about the id at all").isTrue();
    }
}
