package dev.posthorn.server.ingest;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.grpc.GrpcListener;
import dev.posthorn.v1.Event;
import dev.posthorn.v1.EventHubGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What a publisher's key can find out, and what it can be kept from publishing. */
class GuessingTest {

    private static final String ADMIN_KEY = "admin-key-of-the-settings";

    private static TestHub hub;
    private static TestClient admin;

    @BeforeAll
    static void start() {
        hub = TestHub.start(Map.of("posthorn.access.admin-key", ADMIN_KEY));
        admin = as(ADMIN_KEY);
        admin.put("/v1/event-types/pin.set", "{\"masks\": [\"/pin\"]}");
    }

    @AfterAll
    static void stop() {
        hub.close();
    }

    private static TestClient as(String key) {
        return hub.rest().with("Authorization", "Bearer " + key);
    }

    private static String key(String name, String more) {
        Answer answer = admin.post("/v1/keys", "{\"name\": \"%s\", \"role\": \"publisher\"%s}".formatted(name, more));
        assertThat(answer.status()).as(answer.text()).isEqualTo(201);
        return answer.json().path("key").asString();
    }

    private static String pin(String id, int pin) {
        return """
                {"id": "%s", "source": "bank", "type": "pin.set", "data": {"pin": %d}}
                """.formatted(id, pin);
    }

    /**
     * Tells what the right one is answered while the key gets no answer about its id. That is a second at first, which
     * a busy machine may let pass: then the next wrong one makes it twice as long.
     */
    private static Answer askedInThePause(TestClient guesser, String wrong, String right) {
        return await().atMost(60, SECONDS).until(() -> asked(guesser, wrong, right), told -> told.status() == 429);
    }

    private static Answer asked(TestClient guesser, String wrong, String right) {
        guesser.post("/v1/events", wrong);
        return guesser.post("/v1/events", right);
    }

    @Test
    void aMaskedValueIsNotFoundByTrying() {
        admin.post("/v1/events", pin("p-1", 77));
        TestClient guesser = as(key("guesser", ""));
        int told = 0;
        for (int guess = 0; guess < 30; guess++) {
            int status = guesser.post("/v1/events", pin("p-1", guess)).status();
            assertThat(status).as("guess " + guess).isIn(409, 429);
            told += status == 409 ? 1 : 0;
        }
        assertThat(told).isLessThan(10);
        Answer slowed = askedInThePause(guesser, pin("p-1", 30), pin("p-1", 77));
        assertThat(slowed.status()).as("the right one is not told either").isEqualTo(429);
        assertThat(Integer.parseInt(slowed.header("Retry-After"))).isPositive();
        assertThat(guesser.post("/v1/events", pin("p-2", 1)).status())
                .as("others are published as ever")
                .isEqualTo(202);
        assertThat(as(key("another", "")).post("/v1/events", pin("p-1", 77)).status())
                .as("who sends it again with another key is not concerned")
                .isEqualTo(200);
        JsonNode entry =
                admin.get("/v1/audit?action=event.conflict&actor=guesser").json();
        assertThat(entry.path("items").size()).isEqualTo(1);
        assertThat(entry.at("/items/0/count").asInt()).isEqualTo(5);
    }

    @Test
    void manyGuessesInOneCallTellNoMoreThanOne() {
        admin.post("/v1/events", pin("p-3", 3));
        TestClient guesser = as(key("batch-guesser", ""));
        String all =
                IntStream.range(0, 10).mapToObj(guess -> pin("p-3", guess)).collect(Collectors.joining(",", "[", "]"));
        Answer answer = guesser.post("/v1/events", all);
        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.json().path("violations").size())
                .as("the right one is not told by leaving it out")
                .isEqualTo(10);
        assertThat(guesser.post("/v1/events", all).status()).isEqualTo(429);
    }

    /** What no longer keeps the rules of its type is a duplicate if it is one, and would tell as much. */
    @Test
    void norIsItFoundThroughARuleOfTheType() {
        admin.post("/v1/events", pin("p-4", 17).replace("pin.set", "pin.lost"));
        admin.put("/v1/event-types/pin.lost", "{\"jsonSchema\": {\"required\": [\"never\"]}}");
        TestClient guesser = as(key("rule-guesser", ""));
        for (int guess = 0; guess < 8; guess++) {
            guesser.post("/v1/events", pin("p-4", guess).replace("pin.set", "pin.lost"));
        }
        String wrong = pin("p-4", 8).replace("pin.set", "pin.lost");
        String right = pin("p-4", 17).replace("pin.set", "pin.lost");
        assertThat(askedInThePause(guesser, wrong, right).status()).isEqualTo(429);
    }

    @Test
    void aKeyPublishesOnlyWhatItIsBoundTo() {
        String bound = key("bound", ", \"sources\": [\"shop\", \"shop-*\"], \"types\": [\"order.*\"]");
        TestClient shop = as(bound);
        String event = "{\"source\": \"%s\", \"type\": \"%s\", \"data\": 1}";
        assertThat(shop.post("/v1/events", event.formatted("shop", "order.placed"))
                        .status())
                .isEqualTo(202);
        assertThat(shop.post("/v1/events", event.formatted("shop-2", "order.placed"))
                        .status())
                .isEqualTo(202);
        Answer source = shop.post("/v1/events", event.formatted("bank", "order.placed"));
        assertThat(source.status()).isEqualTo(403);
        assertThat(source.text()).contains("\"field\":\"source\"", "'bound'", "shop-*");
        Answer type = shop.post(
                "/v1/events",
                "[" + event.formatted("shop", "order.placed") + "," + event.formatted("shop", "pin.set") + "]");
        assertThat(type.status()).isEqualTo(403);
        assertThat(type.text()).contains("\"field\":\"[1].type\"");
        admin.put("/v1/guards/any", "{\"url\": \"http://127.0.0.1:9/\"}");
        assertThat(shop.post("/v1/guard/any", pin("p-5", 1)).status()).isEqualTo(403);
        assertThat(admin.get("/v1/keys").text()).contains("\"sources\":[\"shop\",\"shop-*\"],\"types\":[\"order.*\"]");
        assertThat(admin.get("/v1/audit?target=key/bound").text()).contains("\"sources\":\"shop, shop-*\"");
        assertThat(byGrpc(bound, "shop")).isEqualTo(Status.Code.OK);
        assertThat(byGrpc(bound, "bank")).isEqualTo(Status.Code.PERMISSION_DENIED);
    }

    private static Status.Code byGrpc(String key, String source) {
        ManagedChannel channel = NettyChannelBuilder.forAddress(
                        "127.0.0.1", hub.bean(GrpcListener.class).port())
                .usePlaintext()
                .build();
        Metadata metadata = new Metadata();
        metadata.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + key);
        try {
            EventHubGrpc.newBlockingStub(channel)
                    .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata))
                    .publish(Event.newBuilder()
                            .setSourceService(source)
                            .setEventType("order.placed")
                            .setPayload(ByteString.copyFromUtf8("1"))
                            .build());
            return Status.Code.OK;
        } catch (StatusRuntimeException e) {
            return e.getStatus().getCode();
        } finally {
            channel.shutdownNow();
        }
    }

    @Test
    void whatIsWrongWithWhatAKeyIsBoundToIsNamed() {
        for (String wrong : new String[] {
            "\"role\": \"viewer\", \"sources\": [\"shop\"]",
            "\"role\": \"publisher\", \"sources\": [\"\"]",
            "\"role\": \"publisher\", \"sources\": [\"a b\"]",
            "\"role\": \"publisher\", \"sources\": [null]"
        }) {
            Answer answer = admin.post("/v1/keys", "{\"name\": \"wrong\", " + wrong + "}");
            assertThat(answer.status()).as(wrong).isEqualTo(400);
            assertThat(answer.text()).contains("\"field\":\"sources");
        }
    }
}
