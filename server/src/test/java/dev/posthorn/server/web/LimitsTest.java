package dev.posthorn.server.web;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LimitsTest {

    @Test
    void tooManyRequestsAreToldWhenToComeAgain() {
        try (TestHub hub = TestHub.start(Map.of("posthorn.limits.requests-per-second", 0.01))) {
            assertThat(hub.rest().get("/v1/keys").status()).isEqualTo(200);
            TestClient.Answer answer = hub.rest().get("/v1/keys");
            assertThat(answer.status()).isEqualTo(429);
            assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
            assertThat(Integer.parseInt(answer.header("Retry-After"))).isBetween(50, 101);
            assertThat(hub.rest()
                            .with("Authorization", "Bearer guess")
                            .get("/v1/keys")
                            .status())
                    .as("whoever tries keys is not faster")
                    .isEqualTo(429);
            assertThat(hub.rest().get("/actuator/health/liveness").status()).isEqualTo(200);
        }
    }

    @Test
    void moreRequestsThanAreWorkedOnAreTurnedAwayAtOnce() throws Exception {
        try (TestHub hub = TestHub.start(Map.of("posthorn.limits.concurrent-requests", 1));
                Socket slow = new Socket(InetAddress.getLoopbackAddress(), hub.httpPort())) {
            slow.getOutputStream()
                    .write(("POST /v1/keys HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                                    + "Content-Length: 10\r\n\r\n{")
                            .getBytes(ISO_8859_1));
            TestClient.Answer answer =
                    await().atMost(60, SECONDS).until(() -> hub.rest().get("/v1/keys"), each -> each.status() == 503);
            assertThat(answer.json().path("detail").asString()).contains("posthorn.limits.concurrent-requests");
            assertThat(answer.header("Retry-After")).isEqualTo("1");
            assertThat(hub.rest().get("/actuator/health/readiness").status()).isEqualTo(200);
            slow.shutdownOutput();
            await().atMost(60, SECONDS).until(() -> hub.rest().get("/v1/keys").status() == 200);
        }
    }
}
