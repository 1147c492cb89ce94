package dev.posthorn.server.grpc;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import dev.posthorn.v1.Event;
import dev.posthorn.v1.EventHubGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.MetadataUtils;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class GrpcAccessTest {

    private static final String ADMIN_KEY = "admin-key-of-the-settings";

    private static TestHub hub;
    private static ManagedChannel channel;

    @BeforeAll
    static void start() {
        hub = TestHub.start(Map.of("posthorn.access.admin-key", ADMIN_KEY));
        channel = Channels.to(hub);
    }

    @AfterAll
    static void stop() {
        channel.shutdownNow();
        hub.close();
    }

    @Test
    void publishingIsForPublishers() {
        TestClient admin = hub.rest().with("Authorization", "Bearer " + ADMIN_KEY);
        String shop = key(admin, "shop", "publisher");
        String eye = key(admin, "eye", "viewer");
        assertThat(publish(null).getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
        assertThat(publish("Bearer nonsense").getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
        Status forbidden = publish("Bearer " + eye);
        assertThat(forbidden.getCode()).isEqualTo(Status.Code.PERMISSION_DENIED);
        assertThat(forbidden.getDescription()).contains("'eye'", "viewer", "publisher");
        assertThat(publish("Bearer " + shop).getCode()).as("admitted").isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(publish("Bearer " + ADMIN_KEY).getCode()).as("admitted").isEqualTo(Status.Code.INVALID_ARGUMENT);
        admin.delete("/v1/keys/shop");
        assertThat(publish("Bearer " + shop).getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
    }

    @Test
    void withoutKeysWhateverComesThroughAProxyIsRefused() {
        try (TestHub keyless = TestHub.start()) {
            ManagedChannel local = Channels.to(keyless);
            for (String sign : List.of("x-forwarded-for", "x-forwarded-proto", "forwarded", "via", "x-real-ip")) {
                Metadata headers = new Metadata();
                headers.put(Metadata.Key.of(sign, Metadata.ASCII_STRING_MARSHALLER), "127.0.0.1");
                EventHubGrpc.EventHubBlockingStub stub = EventHubGrpc.newBlockingStub(local)
                        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
                assertThat(Statuses.of(() -> stub.publish(SampleEvents.event("e")))
                                .code())
                        .as(sign)
                        .isEqualTo(Status.Code.UNAUTHENTICATED);
            }
            local.shutdownNow();
        }
    }

    @Test
    void healthIsForAll() {
        HealthGrpc.HealthBlockingStub health = HealthGrpc.newBlockingStub(channel);
        HealthCheckRequest request = HealthCheckRequest.getDefaultInstance();
        await().atMost(60, SECONDS).until(() -> health.check(request).getStatus() == ServingStatus.SERVING);
    }

    private static String key(TestClient admin, String name, String role) {
        String json = "{\"name\": \"%s\", \"role\": \"%s\"}".formatted(name, role);
        return admin.post("/v1/keys", json).json().path("key").asString();
    }

    /** Tries to publish an event without anything in it, and tells how that ended. */
    private static Status publish(String authorization) {
        Metadata headers = new Metadata();
        if (authorization != null) {
            headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), authorization);
        }
        EventHubGrpc.EventHubBlockingStub stub = EventHubGrpc.newBlockingStub(channel)
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
        return catchThrowableOfType(StatusRuntimeException.class, () -> stub.publish(Event.getDefaultInstance()))
                .getStatus();
    }
}
