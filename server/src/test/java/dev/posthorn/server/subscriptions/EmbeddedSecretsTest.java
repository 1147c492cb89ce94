package dev.posthorn.server.subscriptions;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.server.Hub;
import dev.posthorn.server.TestClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

class EmbeddedSecretsTest {

    @TempDir
    Path data;

    @Test
    void withItsOwnPostgreSqlTheHubMakesItsOwnKeyAndClosesItsDataToOthers() throws IOException {
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
        Map<String, Object> settings = Map.of("posthorn.data", data, "posthorn.http.port", 0, "posthorn.grpc.port", 0);
        try (ConfigurableApplicationContext hub = Hub.start(settings)) {
            TestClient rest = new TestClient("http://127.0.0.1:"
                    + ((WebServerApplicationContext) hub).getWebServer().getPort());
            String document = """
                    {"sink": {"kind": "http", "url": "http://127.0.0.1:9/", "headers": {"x-key": "s3cret"}}}
                    """;
            await().atMost(60, SECONDS)
                    .until(() -> rest.put("/v1/subscriptions/local", document).status() == 201);
            assertThat(rest.get("/v1/subscriptions/local").json().path("state").stringValue())
                    .isEqualTo("active");
        }
        assertThat(permissions(data.resolve("secret.key"))).isEqualTo("rw-------");
        assertThat(permissions(data)).as("nobody else looks into it").isEqualTo("rwxr-x--x");
        assertThat(permissions(data.resolve("postgres"))).isEqualTo("rwx------");
        assertThat(permissions(data.resolve("postgres/server.log"))).isEqualTo("rw-------");
    }

    private static String permissions(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }
}
