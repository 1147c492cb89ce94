package dev.posthorn.server;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.Map;
import org.junit.jupiter.api.Test;

class HubTest {

    @Test
    void isAliveAndReady() {
        try (TestHub hub = TestHub.startOn(TestHub.emptyDatabase(), Map.of())) {
            assertThat(hub.rest().get("/actuator/health/liveness").status()).isEqualTo(200);
            await().atMost(60, SECONDS)
                    .until(() -> hub.rest().get("/actuator/health/readiness").status() == 200);
        }
    }
}
