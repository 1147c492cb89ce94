package dev.posthorn.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HubTest {

    @Test
    void isAliveAndReady() {
        try (TestHub hub = TestHub.start()) {
            assertThat(hub.rest().get("/actuator/health/liveness").status()).isEqualTo(200);
            assertThat(hub.rest().get("/actuator/health/readiness").status()).isEqualTo(200);
        }
    }
}
