package dev.posthorn.server.subscriptions;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.grpc.GrpcListener;
import dev.posthorn.testkit.Receiver;
import dev.posthorn.testkit.Request;
import dev.posthorn.v1.Event;
import dev.posthorn.v1.EventHubGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** By posthorn-… headers a receiver knows what is a sample or sent again: nobody but the hub can say so. */
class ForgedMarksTest {

    private static final List<String> FORGED =
            List.of("posthorn-test", "Posthorn-Test", "POSTHORN-TEST", "posthorn-replay", "Posthorn-Anything");

    private static TestHub hub;
    private static TestClient rest;

    private final Receiver receiver = Receiver.start();

    @BeforeAll
    static void start() {
        hub = TestHub.start();
        rest = hub.rest();
    }

    @AfterAll
    static void stop() {
        hub.close();
    }

    @AfterEach
    void close() {
        receiver.close();
        rest.delete("/v1/subscriptions/marked");
        PatientCalls.awaitGone(rest, "marked");
        rest.delete("/v1/guards/marked");
    }

    private void subscribe() {
        TestClient.Answer put = rest.put("/v1/subscriptions/marked", """
                {"timeout": "40s", "sink": {"kind": "http", "url": "%s",
                 "signingSecrets": ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]}}
                """.formatted(receiver.url("/hook")));
        assertThat(put.status()).as(put.text()).isEqualTo(201);
    }

    @Test
    void noPublisherCanMarkAnEventByRest() {
        rest.put("/v1/guards/marked", "{\"url\": \"%s\"}".formatted(receiver.url("/hook")));
        for (String path : List.of("/v1/events", "/v1/guard/marked")) {
            for (String name : FORGED) {
                TestClient.Answer answer = rest.post(path, """
                        {"id": "m-1", "source": "shop", "type": "order.placed", "data": 1, "headers": {"%s": "true"}}
                        """.formatted(name));
                assertThat(answer.status()).as(path + " " + name).isEqualTo(400);
                assertThat(answer.json().path("violations").get(0).path("field").asString())
                        .isEqualTo("headers." + name);
            }
        }
        assertThat(receiver.count()).isZero();
    }

    @Test
    void norByGrpc() {
        ManagedChannel channel = NettyChannelBuilder.forAddress(
                        "127.0.0.1", hub.bean(GrpcListener.class).port())
                .usePlaintext()
                .build();
        try {
            for (String name : FORGED) {
                Event event = Event.newBuilder()
                        .setSourceService("shop")
                        .setEventType("order.placed")
                        .setPayload(ByteString.copyFromUtf8("1"))
                        .putHeaders(name, "true")
                        .build();
                StatusRuntimeException refused = catchThrowableOfType(
                        StatusRuntimeException.class,
                        () -> EventHubGrpc.newBlockingStub(channel).publish(event));
                assertThat(refused).as(name).isNotNull();
                assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
            }
        } finally {
            channel.shutdownNow();
        }
    }

    @Test
    void noOperatorCanTakeTheMarkOffASample() {
        subscribe();
        for (String name : FORGED) {
            TestClient.Answer answer =
                    rest.post("/v1/subscriptions/marked/test", "{\"headers\": {\"%s\": \"false\"}}".formatted(name));
            assertThat(answer.status()).as(name).isEqualTo(400);
        }
        assertThat(receiver.count()).isZero();
        rest.post("/v1/subscriptions/marked/test");
        assertThat(receiver.requests().get(0).header("posthorn-test")).isEqualTo("true");
    }

    /** Written before the names were refused, or by SQL. */
    @Test
    void whatTheLogHoldsUnderSuchANameIsNotSent() {
        subscribe();
        String headers =
                "{\"posthorn-test\": \"true\", \"POSTHORN-TEST\": \"true\", \"Posthorn-Replay\": \"7\", \"tenant\": \"x\"}";
        hub.bean(Database.class)
                .queries()
                .run("forging", transaction -> transaction.update("""
                        INSERT INTO posthorn.event
                               (id, source, type, version, content_type, payload, headers, occurred_at)
                        VALUES (gen_random_uuid(), 'shop', 'order.placed', 1, 'application/json', '1',
                               :headers::jsonb, posthorn.clock())
                        """, Map.of("headers", headers)));
        await().atMost(60, SECONDS).until(() -> receiver.count() == 1);
        Request request = receiver.requests().get(0);
        assertThat(request.header("tenant")).isEqualTo("x");
        assertThat(request.header("posthorn-test")).isNull();
        assertThat(request.header("posthorn-replay")).isNull();
    }

    @Test
    void theAuditTellsWhatATestSentAndWhatCameOfIt() {
        subscribe();
        rest.put("/v1/event-types/card.used", "{\"masks\": [\"/number\"]}");
        receiver.answering(500, "no 4111111111111111 here");
        TestClient.Answer answer = rest.with("X-Request-Id", "audited-test").post("/v1/subscriptions/marked/test", """
                {"type": "card.used", "data": {"number": "4111111111111111", "amount": 5}, "headers": {"tenant": "x"}}
                """);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        JsonNode entries = rest.get("/v1/audit?requestId=audited-test").json().path("items");
        assertThat(entries.size()).isEqualTo(2);
        JsonNode outcome = entries.get(0);
        JsonNode sent = entries.get(1);
        assertThat(sent.path("action").asString()).isEqualTo("subscription.test");
        assertThat(sent.at("/detail/event").asString())
                .isEqualTo(receiver.requests().get(0).id());
        assertThat(sent.at("/detail/type").asString()).isEqualTo("card.used");
        assertThat(sent.at("/detail/headers").asString()).isEqualTo("{\"tenant\":\"x\"}");
        assertThat(sent.at("/detail/data").asString()).isEqualTo("{\"number\":\"•••\",\"amount\":5}");
        assertThat(outcome.path("action").asString()).isEqualTo("subscription.tested");
        assertThat(outcome.at("/detail/event")).isEqualTo(sent.at("/detail/event"));
        assertThat(outcome.at("/detail/outcome").asString()).isEqualTo("retry");
        assertThat(outcome.at("/detail/status").asString()).isEqualTo("500");
        assertThat(outcome.at("/detail/reason").asString()).contains("500").doesNotContain("4111");
    }
}
