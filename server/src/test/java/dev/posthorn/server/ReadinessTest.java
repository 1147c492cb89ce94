package dev.posthorn.server;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadinessTest {

    private static final String ADMIN_KEY = "admin-key-of-the-settings";

    @TempDir
    private Path directory;

    @Test
    void startsWithoutItsDatabaseAndGoesOnWithoutAHandWhenItIsThere() {
        try (EmbeddedPostgres postgres =
                EmbeddedPostgres.builder().dataDirectory(directory).start()) {
            postgres.stop();
            try (TestHub hub = TestHub.begin(settings(postgres, Map.of()))) {
                assertAway(hub.rest());
                postgres.start();
                await().atMost(120, SECONDS).until(() -> readiness(hub) == 200);
                await().atMost(120, SECONDS)
                        .until(() -> hub.rest().get("/v1/keys").status() == 200);
                postgres.stop();
                await().atMost(120, SECONDS).until(() -> readiness(hub) == 503);
                assertThat(liveness(hub)).isEqualTo(200);
                TestClient.Answer refused = hub.rest().post("/v1/keys", "{\"name\": \"boss\", \"role\": \"admin\"}");
                assertUnavailable(refused);
                postgres.start();
                await().atMost(120, SECONDS).until(() -> readiness(hub) == 200);
                await().atMost(120, SECONDS)
                        .until(() -> hub.rest()
                                        .post("/v1/keys", "{\"name\": \"boss\", \"role\": \"admin\"}")
                                        .status()
                                == 201);
            }
        }
    }

    /** Nobody can tell yet that there are no keys, so nobody is let in for lack of them. */
    private static void assertAway(TestClient rest) {
        assertThat(rest.get("/actuator/health/liveness").status()).isEqualTo(200);
        assertThat(rest.get("/actuator/health/readiness").status()).isEqualTo(503);
        assertUnavailable(rest.get("/v1/keys"));
        assertUnavailable(rest.get("/actuator/prometheus"));
        assertUnavailable(rest.with("Authorization", "Bearer unknown").get("/v1/keys"));
        assertThat(rest.get("/v1/openapi.yaml").status()).isEqualTo(200);
    }

    @Test
    void theKeyInTheSettingsCountsWithoutADatabase() {
        Map<String, String> settings = Map.of(
                "posthorn.database.url", "jdbc:postgresql://127.0.0.1:1/none", "posthorn.access.admin-key", ADMIN_KEY);
        try (TestHub hub = TestHub.begin(settings)) {
            assertThat(hub.rest().get("/v1/keys").status()).isEqualTo(401);
            TestClient admin = hub.rest().with("Authorization", "Bearer " + ADMIN_KEY);
            assertThat(admin.get("/actuator/prometheus").status()).isEqualTo(200);
            assertUnavailable(admin.delete("/v1/keys/shop"));
        }
    }

    private static Map<String, Object> settings(EmbeddedPostgres postgres, Map<String, Object> more) {
        Map<String, Object> settings = new java.util.HashMap<>(more);
        settings.put("posthorn.database.url", postgres.jdbcUrl());
        settings.put("posthorn.database.user", postgres.user());
        settings.put("posthorn.database.password", postgres.password());
        settings.put("posthorn.database.connect-timeout", "1s");
        return settings;
    }

    private static int readiness(TestHub hub) {
        return hub.rest().get("/actuator/health/readiness").status();
    }

    private static int liveness(TestHub hub) {
        return hub.rest().get("/actuator/health/liveness").status();
    }

    private static void assertUnavailable(TestClient.Answer answer) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(503);
        assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(answer.header("Retry-After")).isEqualTo("1");
    }
}
