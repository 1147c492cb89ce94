package dev.posthorn.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a call says about proxies is believed only if it comes from one that the settings name. */
class ForwardedTest {

    private static final String ADMIN_KEY = "admin-key-of-the-settings";

    /** As in a cluster, where Spring would believe every header. */
    private static final String PLATFORM = "spring.main.cloud-platform";

    private static TestHub keyless;

    @BeforeAll
    static void start() {
        keyless = TestHub.start(Map.of(PLATFORM, "kubernetes"));
    }

    @AfterAll
    static void stop() {
        keyless.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-Forwarded-For: 127.0.0.1",
                "X-Forwarded-For: no-such-name.invalid",
                "X-Forwarded-For: ",
                "X-Forwarded-Proto: http",
                "X-Forwarded-Host: localhost",
                "x-forwarded-anything: 1",
                "Forwarded: for=127.0.0.1",
                "Via: 1.1 proxy",
                "X-Real-IP: 127.0.0.1",
                "X-Client-IP: 127.0.0.1",
                "True-Client-IP: 127.0.0.1",
                "CF-Connecting-IP: 127.0.0.1"
            })
    void withoutKeysWhateverComesThroughAProxyIsRefused(String header) {
        int colon = header.indexOf(':');
        TestClient client = keyless.rest()
                .with(header.substring(0, colon), header.substring(colon + 1).strip());
        assertThat(client.get("/v1/keys").status()).isEqualTo(401);
        assertThat(client.get("/actuator/prometheus").status()).isEqualTo(401);
        assertThat(client.get("/actuator/health/liveness").status()).isEqualTo(200);
        assertThat(keyless.rest().get("/v1/keys").status()).isEqualTo(200);
    }

    @Test
    void aRateIsNotDodgedByNamingOthers() {
        try (TestHub hub = hub(Map.of())) {
            assertThat(guess(hub, "10.0.0.1")).isEqualTo(401);
            assertThat(guess(hub, "10.0.0.2")).isEqualTo(429);
            assertThat(guess(hub, "no-such-name.invalid")).isEqualTo(429);
        }
    }

    @Test
    void aProxyThatTheSettingsNameIsBelieved() {
        try (TestHub hub = hub(Map.of("posthorn.http.trusted-proxies", "127.0.0.0/8,10.9.0.0/16"))) {
            assertThat(guess(hub, "10.0.0.1")).isEqualTo(401);
            assertThat(guess(hub, "10.0.0.1")).isEqualTo(429);
            assertThat(guess(hub, "10.0.0.2")).isEqualTo(401);
            assertThat(guess(hub, "10.0.0.3, 10.0.0.2"))
                    .as("what stands before the last is the caller's own word")
                    .isEqualTo(429);
            assertThat(guess(hub, "10.0.0.4, 10.9.0.1"))
                    .as("a second proxy of ours")
                    .isEqualTo(401);
            assertThat(guess(hub, "10.0.0.4")).isEqualTo(429);
            assertThat(guess(hub, "2001:db8::1")).isEqualTo(401);
            assertThat(guess(hub, "no-such-name.invalid"))
                    .as("the proxy itself")
                    .isEqualTo(401);
            assertThat(guess(hub, "another-name.invalid")).isEqualTo(429);
        }
    }

    private static TestHub hub(Map<String, ?> more) {
        Map<String, Object> settings = new java.util.HashMap<>(more);
        settings.put(PLATFORM, "kubernetes");
        settings.put("posthorn.access.admin-key", ADMIN_KEY);
        settings.put("posthorn.limits.requests-per-second", 0.001);
        return TestHub.start(settings);
    }

    private static int guess(TestHub hub, String forwardedFor) {
        return hub.rest()
                .with("Authorization", "Bearer guess")
                .with("X-Forwarded-For", forwardedFor)
                .get("/v1/keys")
                .status();
    }
}
