package dev.posthorn.server.grpc;

import static dev.posthorn.server.grpc.IngestPlan.count;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.grpc.IngestPlan.Fate;
import dev.posthorn.server.grpc.IngestPlan.Planned;
import dev.posthorn.v1.Event;
import dev.posthorn.v1.PublishAck;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Many events over both protocols at once: the log is what the answers said. */
class GreatIngestTest {

    private static final int PUBLISHERS = 4;
    private static final int EVENTS_OF_EACH = 6_250;
    private static final int REST_BATCH = 500;

    private static final String LOG = "SELECT coalesce(source_id, id::text), payload FROM posthorn.event";

    private static TestHub hub;

    private final List<Planned> all = new ArrayList<>();
    private final Map<String, String> digests = new HashMap<>();
    private int duplicates;
    private int refused;

    @BeforeAll
    static void start() {
        hub = TestHub.start();
    }

    @AfterAll
    static void stop() {
        hub.close();
    }

    @Test
    void theLogHoldsExactlyWhatTheAnswersSay() throws Exception {
        publishAll();

        int common = count(all, Fate.COMMON) / 2;
        assertThat(all).hasSize(2 * PUBLISHERS * EVENTS_OF_EACH);
        assertThat(digests).hasSize(count(all, Fate.RECORDED) + common);
        assertThat(duplicates).isEqualTo(count(all, Fate.DUPLICATE) + common);
        assertThat(refused).isEqualTo(count(all, Fate.REFUSED)).isGreaterThan(300);
        assertThat(log()).isEqualTo(digests);
        assertThat(counted("recorded")).isEqualTo(digests.size());
        assertThat(counted("duplicate")).isEqualTo(duplicates);
    }

    private void publishAll() throws InterruptedException, ExecutionException {
        ExecutorService threads = Executors.newFixedThreadPool(2 * PUBLISHERS);
        List<CompletableFuture<Void>> publishers = new ArrayList<>();
        try {
            for (int i = 0; i < PUBLISHERS; i++) {
                List<Planned> rest = IngestPlan.of("rest", i, EVENTS_OF_EACH);
                List<Planned> grpc = IngestPlan.of("grpc", i, EVENTS_OF_EACH);
                all.addAll(rest);
                all.addAll(grpc);
                publishers.add(CompletableFuture.runAsync(() -> overRest(rest), threads));
                publishers.add(CompletableFuture.runAsync(() -> overGrpc(grpc), threads));
            }
            for (CompletableFuture<Void> each : publishers) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private void overRest(List<Planned> planned) {
        for (int i = 0; i < planned.size(); i += REST_BATCH) {
            List<Planned> batch = planned.subList(i, Math.min(planned.size(), i + REST_BATCH));
            // A request is recorded as a whole or not at all, so what is to be refused has one of its own.
            post(batch.stream().filter(each -> each.fate() != Fate.REFUSED).toList());
            postRefused(
                    batch.stream().filter(each -> each.fate() == Fate.REFUSED).toList());
        }
    }

    private void post(List<Planned> batch) {
        Answer answer = hub.rest().post("/v1/events", json(batch));
        assertThat(answer.status()).as(answer.text()).isEqualTo(202);
        JsonNode items = answer.json();
        assertThat(items).hasSize(batch.size());
        for (int i = 0; i < batch.size(); i++) {
            JsonNode item = items.get(i);
            answered(
                    batch.get(i),
                    item.get("id").asString(),
                    item.get("duplicate").asBoolean());
        }
    }

    private void postRefused(List<Planned> batch) {
        if (batch.isEmpty()) {
            return;
        }
        Answer answer = hub.rest().post("/v1/events", json(batch));
        assertThat(answer.status()).as(answer.text()).isEqualTo(409);
        assertThat(answer.json().get("violations")).hasSize(batch.size());
        refused(batch.size());
    }

    private static String json(List<Planned> batch) {
        return batch.stream().map(GreatIngestTest::json).collect(Collectors.joining(",", "[", "]"));
    }

    private static String json(Planned planned) {
        String id = planned.id().isEmpty() ? "" : "\"id\": \"" + planned.id() + "\", ";
        return "{" + id + "\"source\": \"shop\", \"type\": \"order.placed\", \"data\": " + planned.payload() + "}";
    }

    private void overGrpc(List<Planned> planned) {
        ManagedChannel channel = Channels.to(hub);
        try {
            StreamClient stream = StreamClient.open(channel).read(planned.size());
            planned.forEach(each -> stream.send(message(each)));
            List<PublishAck> acks = stream.halfClose().awaitEnd();
            assertThat(stream.error()).isNull();
            assertThat(acks).hasSize(planned.size());
            for (int i = 0; i < planned.size(); i++) {
                answered(planned.get(i), acks.get(i));
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            channel.shutdownNow();
        }
    }

    private static Event message(Planned planned) {
        return Event.newBuilder()
                .setEventId(planned.id())
                .setSourceService("shop")
                .setEventType("order.placed")
                .setContentType("application/json")
                .setPayload(ByteString.copyFromUtf8(planned.payload()))
                .build();
    }

    private void answered(Planned planned, PublishAck ack) {
        if (ack.hasRefusal()) {
            assertThat(planned.fate()).isEqualTo(Fate.REFUSED);
            assertThat(ack.getRefusal().getCode()).isEqualTo(Status.Code.ALREADY_EXISTS.value());
            refused(1);
        } else {
            answered(planned, ack.getEventId(), ack.getDuplicate());
        }
    }

    private synchronized void refused(int events) {
        refused += events;
    }

    private synchronized void answered(Planned planned, String id, boolean duplicate) {
        if (!planned.id().isEmpty()) {
            assertThat(id).isEqualTo(planned.id());
        }
        if (planned.fate() != Fate.COMMON) {
            assertThat(planned.fate()).isEqualTo(duplicate ? Fate.DUPLICATE : Fate.RECORDED);
        }
        if (duplicate) {
            duplicates++;
        } else {
            assertThat(digests.put(id, digest(planned.payload().getBytes(UTF_8))))
                    .as("%s was recorded before", id)
                    .isNull();
        }
    }

    private static String digest(byte[] payload) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(payload));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Map<String, String> log() throws SQLException {
        Map<String, String> found = new HashMap<>();
        try (Connection connection = hub.bean(Database.class).direct().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(LOG)) {
            while (rows.next()) {
                String before = found.put(rows.getString(1), digest(rows.getBytes(2)));
                assertThat(before)
                        .as("%s is in the log twice", rows.getString(1))
                        .isNull();
            }
        }
        return found;
    }

    private static int counted(String outcome) {
        return (int) hub.bean(MeterRegistry.class).find("posthorn.ingested").tag("outcome", outcome).counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }
}
