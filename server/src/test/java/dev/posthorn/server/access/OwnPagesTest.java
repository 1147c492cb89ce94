package dev.posthorn.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.server.SharedHub;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a browser says of itself when the console, or some other page, calls a hub without keys. */
@ExtendWith(SharedHub.class)
class OwnPagesTest {

    private static TestClient page(TestHub hub, Map<String, String> headers) {
        TestClient page = hub.rest();
        for (Map.Entry<String, String> each : headers.entrySet()) {
            page = page.with(each.getKey(), each.getValue());
        }
        return page;
    }

    @Test
    void theHubsOwnPagesMayCallIt(TestHub hub) {
        TestClient reads = page(hub, Map.of("Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors"));
        assertThat(reads.get("/v1/me").status()).isEqualTo(200);
        String origin = "http://127.0.0.1:" + hub.httpPort();
        TestClient writes = page(hub, Map.of("Origin", origin, "Sec-Fetch-Site", "same-origin"));
        assertThat(writes.post("/v1/subscriptions/match", "{}").status()).isEqualTo(200);
    }

    @Test
    void otherPagesMayNot(TestHub hub) {
        assertThat(page(hub, Map.of("Sec-Fetch-Site", "cross-site"))
                        .get("/v1/me")
                        .status())
                .isEqualTo(401);
        assertThat(page(hub, Map.of("Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"))
                        .post("/v1/subscriptions/match", "{}")
                        .status())
                .isEqualTo(401);
        assertThat(page(hub, Map.of("Origin", "null")).get("/v1/stream").status())
                .isEqualTo(401);
    }
}
