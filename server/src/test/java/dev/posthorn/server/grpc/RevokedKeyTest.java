package dev.posthorn.server.grpc;

import static dev.posthorn.server.grpc.SampleEvents.event;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.MetadataUtils;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A key that is revoked is worth nothing within a second, also to calls that were let in before. */
class RevokedKeyTest {

    private static final String ADMIN_KEY = "admin-key-of-the-settings";
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private static TestHub hub;
    private static TestClient admin;
    private static ManagedChannel channel;

    @BeforeAll
    static void start() {
        hub = TestHub.start(Map.of("posthorn.access.admin-key", ADMIN_KEY));
        admin = hub.rest().with("Authorization", "Bearer " + ADMIN_KEY);
        channel = Channels.to(hub);
    }

    @AfterAll
    static void stop() {
        channel.shutdownNow();
        hub.close();
    }

    private static String key(String name) {
        return admin.post("/v1/keys", "{\"name\": \"" + name + "\", \"role\": \"publisher\"}")
                .json()
                .path("key")
                .asString();
    }

    private static Channel as(String key) {
        Metadata headers = new Metadata();
        headers.put(AUTHORIZATION, "Bearer " + key);
        return ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(headers));
    }

    @Test
    void anOpenStreamEnds() throws Exception {
        StreamClient stream = StreamClient.open(as(key("streamer"))).read(10).send(event("before"));
        stream.awaitAcks(1);
        StreamClient others = StreamClient.open(as(key("other"))).read(10).send(event("of another"));
        others.awaitAcks(1);
        admin.delete("/v1/keys/streamer");
        await().atMost(60, SECONDS).until(() -> stream.error() != null);
        assertThat(Statuses.of(stream.error()).code()).isEqualTo(Status.Code.UNAUTHENTICATED);
        assertThat(Statuses.of(stream.error()).message()).contains("revoked");
        others.send(event("of another, later"));
        assertThat(others.awaitAcks(2)).hasSize(2);
        others.cancel();
    }

    @Test
    void aStreamWhoseClientReadsNothingEndsToo() throws Exception {
        StreamClient stream = StreamClient.open(as(key("deaf")));
        for (int i = 0; i < 3_000; i++) {
            stream.send(event("deaf-" + i));
        }
        admin.delete("/v1/keys/deaf");
        await().atMost(60, SECONDS).until(() -> hub.bean(GrpcListener.class).openStreams() == 0);
        stream.cancel();
    }

    @Test
    void aRequestWhoseBodyCameSlowlyIsRefusedAtItsEnd() throws Exception {
        String slow = key("slow");
        String body = "{\"id\": \"too late\", \"source\": \"s\", \"type\": \"t\", \"data\": 1}";
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), hub.httpPort())) {
            socket.setSoTimeout(60_000);
            String head = "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    + "Connection: close\r\nAuthorization: Bearer " + slow + "\r\nContent-Length: " + body.length()
                    + "\r\n\r\n";
            socket.getOutputStream().write((head + body.substring(0, 10)).getBytes(ISO_8859_1));
            await().pollDelay(300, java.util.concurrent.TimeUnit.MILLISECONDS).until(() -> true);
            admin.delete("/v1/keys/slow");
            socket.getOutputStream().write(body.substring(10).getBytes(ISO_8859_1));
            assertThat(new String(socket.getInputStream().readAllBytes(), ISO_8859_1))
                    .startsWith("HTTP/1.1 401");
        }
        assertThat(new LogRows(hub).countOf("too late")).isZero();
    }
}
