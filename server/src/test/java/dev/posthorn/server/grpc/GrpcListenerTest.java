package dev.posthorn.server.grpc;

import static dev.posthorn.server.grpc.SampleEvents.event;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.posthorn.server.Hub;
import dev.posthorn.server.TestHub;
import dev.posthorn.v1.EventHubGrpc;
import io.grpc.Channel;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.TlsChannelCredentials;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

class GrpcListenerTest {

    private static final String CERTIFICATE = "posthorn.grpc.tls.certificate";
    private static final String PRIVATE_KEY = "posthorn.grpc.tls.private-key";
    private static final int TRIES = 5;

    @Test
    void speaksTlsIfItHasACertificate() throws Exception {
        try (TestHub hub =
                TestHub.start(Map.of(CERTIFICATE, file("localhost.pem"), PRIVATE_KEY, file("localhost.key")))) {
            int port = hub.bean(GrpcListener.class).port();
            ManagedChannel channel = Grpc.newChannelBuilderForAddress(
                            "localhost",
                            port,
                            TlsChannelCredentials.newBuilder()
                                    .trustManager(file("localhost.pem").toFile())
                                    .build())
                    .build();
            assertThat(EventHubGrpc.newBlockingStub(channel)
                            .publish(event("secure"))
                            .getEventId())
                    .isEqualTo("secure");
            channel.shutdownNow();
            ManagedChannel plain = Channels.to(port);
            assertThat(Statuses.of(() -> EventHubGrpc.newBlockingStub(plain).publish(event("plain")))
                            .code())
                    .isEqualTo(Status.Code.UNAVAILABLE);
            plain.shutdownNow();
        }
    }

    @Test
    void filesThatAreNoPemAreRefusedByName(@TempDir Path folder) throws Exception {
        Path garbage = Files.writeString(folder.resolve("garbage.pem"), "garbage");
        assertThatThrownBy(() -> startAway(Map.of(CERTIFICATE, garbage, PRIVATE_KEY, garbage)))
                .hasStackTraceContaining(CERTIFICATE)
                .hasStackTraceContaining("garbage.pem");
    }

    @Test
    void aPortThatIsTakenIsNamed() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = taken.getLocalPort();
            assertThatThrownBy(() -> startAway(Map.of("posthorn.grpc.port", port)))
                    .hasStackTraceContaining("posthorn.grpc.port is " + port);
        }
    }

    @Test
    void isHealthyOnceTheDatabaseIsThere() {
        try (TestHub hub = TestHub.start()) {
            ManagedChannel channel = Channels.to(hub);
            for (String service : new String[] {"", "posthorn.v1.EventHub"}) {
                await().atMost(60, SECONDS).until(() -> health(channel, service) == ServingStatus.SERVING);
            }
            channel.shutdownNow();
        }
    }

    @Test
    void withoutItsDatabaseItServesNothingAndSaysWhenToTryAgain() throws Exception {
        try (ConfigurableApplicationContext hub = startAway(Map.of())) {
            ManagedChannel channel = Channels.to(hub.getBean(GrpcListener.class).port());
            assertThat(health(channel, "")).isEqualTo(ServingStatus.NOT_SERVING);
            assertThat(health(channel, "posthorn.v1.EventHub")).isEqualTo(ServingStatus.NOT_SERVING);
            assertAway(Statuses.of(() -> EventHubGrpc.newBlockingStub(channel).publish(event("e"))));
            StreamClient client = StreamClient.open(channel).read(10).send(event("e"));
            assertThat(client.awaitEnd()).isEmpty();
            assertAway(Statuses.of(client.error()));
            channel.shutdownNow();
        }
    }

    private static void assertAway(Statuses end) {
        assertThat(end.code()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(end.retrySeconds()).isEqualTo(1);
        assertThat(end.reason()).isEqualTo("urn:posthorn:problem:unavailable");
    }

    /** Far below the time after which calls are ended by force; a machine that stood still is given another try. */
    @Test
    void aStopEndsOpenStreamsAfterTheirLastAcknowledgement() throws Exception {
        boolean soon = false;
        for (int i = 0; i < TRIES && !soon; i++) {
            soon = secondsToStopWithAnOpenStream() < 8;
        }
        assertThat(soon).isTrue();
    }

    private static long secondsToStopWithAnOpenStream() throws InterruptedException {
        TestHub hub = TestHub.start();
        ManagedChannel channel = Channels.to(hub);
        StreamClient client = StreamClient.open(channel).read(10).send(event("last"));
        client.awaitAcks(1);
        long before = System.nanoTime();
        hub.close();
        long took = System.nanoTime() - before;
        assertThat(client.awaitEnd()).hasSize(1);
        assertThat(Statuses.of(client.error()).message()).startsWith("the hub stops");
        channel.shutdownNow();
        return NANOSECONDS.toSeconds(took);
    }

    @Test
    void aConnectionHasAnAgeAndItsStreamsEndBefore() throws Exception {
        try (TestHub hub = TestHub.start(Map.of("posthorn.grpc.connection-age", "1s"))) {
            ManagedChannel channel = Channels.to(hub);
            StreamClient client = sentToUntilItsEnd(channel);
            for (int i = 0; i < TRIES && client.acks().isEmpty(); i++) {
                // The connection was old before anything could be recorded.
                client = sentToUntilItsEnd(channel);
            }
            Statuses end = Statuses.of(client.error());
            assertThat(end.code()).isEqualTo(Status.Code.UNAVAILABLE);
            assertThat(end.message()).contains("posthorn.grpc.connection-age");
            assertThat(end.retrySeconds()).isEqualTo(1);
            assertThat(client.acks()).isNotEmpty();
            assertThat(EventHubGrpc.newBlockingStub(channel)
                            .publish(event("on the next connection"))
                            .getEventId())
                    .isEqualTo("on the next connection");
            channel.shutdownNow();
        }
    }

    private static StreamClient sentToUntilItsEnd(Channel channel) {
        StreamClient client = StreamClient.open(channel).read(1_000);
        AtomicInteger sent = new AtomicInteger();
        await().atMost(60, SECONDS).until(() -> {
            client.send(event("aged-" + sent.getAndIncrement()));
            return client.error() != null;
        });
        return client;
    }

    private static ServingStatus health(Channel channel, String service) {
        return HealthGrpc.newBlockingStub(channel)
                .check(HealthCheckRequest.newBuilder().setService(service).build())
                .getStatus();
    }

    /** A hub whose database nobody runs. */
    private static ConfigurableApplicationContext startAway(Map<String, ?> settings) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("posthorn.http.port", 0);
        all.put("posthorn.grpc.port", 0);
        all.put("posthorn.database.url", "jdbc:postgresql://127.0.0.1:1/nobody");
        all.put("posthorn.secrets.key", "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=");
        all.putAll(settings);
        return Hub.start(all);
    }

    private static Path file(String name) throws URISyntaxException {
        return Path.of(GrpcListenerTest.class.getResource("/tls/" + name).toURI());
    }
}
