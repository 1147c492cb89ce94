package dev.posthorn.server.subscriptions;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.server.Serve;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import dev.posthorn.testkit.ChildJvm;
import dev.posthorn.testkit.FreePort;
import dev.posthorn.testkit.Receiver;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A hub with a data directory of its own, and SIGKILL. */
class KilledHubTest {

    @TempDir
    Path data;

    /** It waited 31 seconds for the lease of its dead self, though whoever holds the directory is alone. */
    @Test
    void aHubThatWasKilledDeliversAgainAsSoonAsItIsUp() throws Exception {
        try (Receiver receiver = Receiver.start()) {
            kill(receiver);
            try (TestHub heir = TestHub.begin(Map.of("posthorn.data", data, "posthorn.relay.session-ttl", "21m"))) {
                await().atMost(180, SECONDS)
                        .until(() -> heir.rest()
                                        .get("/v1/subscriptions/killed")
                                        .json()
                                        .path("state")
                                        .asString("")
                                        .equals("active")
                                && publish(heir.rest(), "after"));
                await().atMost(5, SECONDS).until(() -> receiver.types().contains("after"));
            }
        }
    }

    /** Its lanes are in the middle of their leases. */
    private void kill(Receiver receiver) throws IOException, InterruptedException {
        int port = FreePort.find();
        Process hub = ChildJvm.of(
                        Serve.class,
                        List.of("-XX:TieredStopAtLevel=1", "-Dposthorn.relay.session-ttl=21m"),
                        List.of(
                                "--data",
                                data.toString(),
                                "--http-port",
                                "" + port,
                                "--grpc-port",
                                "" + FreePort.find()))
                .redirectErrorStream(true)
                .redirectOutput(data.resolve("hub.log").toFile())
                .start();
        try {
            TestClient rest = new TestClient("http://127.0.0.1:" + port);
            // A session lasts longer than two of these, and so than any start of a hub.
            String document = "{\"timeout\": \"10m\", \"sink\": {\"kind\": \"http\", \"url\": \"%s\"}}"
                    .formatted(receiver.url("/"));
            await().ignoreExceptions()
                    .atMost(180, SECONDS)
                    .until(() -> rest.put("/v1/subscriptions/killed", document).status() < 300);
            assertThat(publish(rest, "before")).isTrue();
            await().atMost(60, SECONDS).until(() -> receiver.types().contains("before"));
        } finally {
            hub.destroyForcibly().waitFor();
        }
    }

    private static boolean publish(TestClient rest, String type) {
        return rest.post("/v1/events", "{\"source\": \"s\", \"type\": \"%s\", \"data\": 1}".formatted(type))
                        .status()
                == 202;
    }
}
