package dev.posthorn.server.grpc;

import static dev.posthorn.server.grpc.SampleEvents.bad;
import static dev.posthorn.server.grpc.SampleEvents.event;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.StringValue;
import com.google.protobuf.Timestamp;
import dev.posthorn.server.TestHub;
import dev.posthorn.v1.Event;
import dev.posthorn.v1.EventHubGrpc;
import dev.posthorn.v1.EventHubGrpc.EventHubBlockingStub;
import dev.posthorn.v1.PublishAck;
import dev.posthorn.v1.PublishBatchRequest;
import dev.posthorn.v1.PublishBatchResponse;
import dev.posthorn.v1.PublishResponse;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Publishing by gRPC to a real hub. */
class EventHubServiceTest {

    private static final String PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    private static TestHub hub;
    private static ManagedChannel channel;
    private static EventHubBlockingStub stub;
    private static LogRows rows;

    @BeforeAll
    static void start() {
        hub = TestHub.start(
                Map.of("posthorn.limits.batch", 100, "posthorn.limits.payload", "10KB", "posthorn.limits.body", "1MB"));
        channel = Channels.to(hub);
        stub = EventHubGrpc.newBlockingStub(channel);
        rows = new LogRows(hub);
    }

    @AfterAll
    static void stop() {
        channel.shutdownNow();
        hub.close();
    }

    @Test
    void everyFieldIsRecorded() {
        Event event = event().setEventId("order-17/created")
                .setVersion(3)
                .setAggregateType("user")
                .setKey("u-1")
                .putHeaders("tenant", "blue")
                .setCreatedAt(Timestamp.newBuilder().setSeconds(1_700_000_000).setNanos(123_456_000))
                .setDeliverAt(Timestamp.newBuilder().setSeconds(4_000_000_000L))
                .build();
        PublishResponse response = stub.publish(event);
        assertThat(response.getEventId()).isEqualTo("order-17/created");
        assertThat(response.getDuplicate()).isFalse();
        LogRows.Row row = rows.bySourceId("order-17/created");
        assertThat(row.type()).isEqualTo("user.registered");
        assertThat(row.source()).isEqualTo("accounts");
        assertThat(row.version()).isEqualTo(3);
        assertThat(row.aggregateType()).isEqualTo("user");
        assertThat(row.key()).isEqualTo("u-1");
        assertThat(row.contentType()).isEqualTo("application/json");
        assertThat(row.payload()).isEqualTo(ByteString.copyFromUtf8("{}"));
        assertThat(row.headers()).isEqualTo("{\"tenant\": \"blue\"}");
        assertThat(row.occurredAt()).isEqualTo(Instant.ofEpochSecond(1_700_000_000, 123_456_000));
        assertThat(row.deliverAt()).isEqualTo(Instant.ofEpochSecond(4_000_000_000L));
    }

    @Test
    void whatIsLeftOutHasItsDefault() {
        PublishResponse response = stub.publish(event().clearContentType().build());
        LogRows.Row row = rows.byId(UUID.fromString(response.getEventId()));
        assertThat(row.version()).isEqualTo(1);
        assertThat(row.aggregateType()).isNull();
        assertThat(row.key()).isNull();
        assertThat(row.contentType()).isEqualTo("application/octet-stream");
        assertThat(row.headers()).isNull();
        assertThat(row.occurredAt()).isNotNull();
        assertThat(row.deliverAt()).isNull();
    }

    @Test
    void aUuidIsKeptAsItIs() {
        UUID id = UUID.randomUUID();
        assertThat(stub.publish(event(id.toString())).getEventId()).isEqualTo(id.toString());
        assertThat(rows.byId(id).type()).isEqualTo("user.registered");
    }

    @Test
    void anEmptyPayloadIsOneToo() {
        String id = stub.publish(event().setPayload(ByteString.EMPTY).build()).getEventId();
        assertThat(rows.byId(UUID.fromString(id)).payload()).isEmpty();
    }

    @Test
    void ofAMessageTheBytesAreRecordedAndItsTypeIsKeptAsAHeader() {
        StringValue message = StringValue.of("hello");
        String id = stub.publish(
                        event().clearContentType().setMessage(Any.pack(message)).build())
                .getEventId();
        LogRows.Row row = rows.byId(UUID.fromString(id));
        assertThat(row.payload()).isEqualTo(message.toByteString());
        assertThat(row.contentType()).isEqualTo("application/x-protobuf");
        assertThat(row.headers())
                .isEqualTo("{\"protobuf-type-url\": \"type.googleapis.com/google.protobuf.StringValue\"}");
    }

    @Test
    void theTraceOfTheCallBecomesThatOfTheEvent() {
        Metadata metadata = new Metadata();
        metadata.put(Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER), PARENT);
        metadata.put(Metadata.Key.of("tracestate", Metadata.ASCII_STRING_MARSHALLER), "vendor=1");
        EventHubBlockingStub traced = stub.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata));
        String id = traced.publish(event().build()).getEventId();
        assertThat(rows.byId(UUID.fromString(id)).headers())
                .contains("\"traceparent\": \"" + PARENT + "\"")
                .contains("\"tracestate\": \"vendor=1\"");
        String own =
                traced.publish(event().putHeaders("traceparent", "own").build()).getEventId();
        assertThat(rows.byId(UUID.fromString(own)).headers()).isEqualTo("{\"traceparent\": \"own\"}");
    }

    @Test
    void aBatchIsAnsweredInItsOrder() {
        PublishBatchRequest.Builder request = PublishBatchRequest.newBuilder();
        IntStream.range(0, 100).forEach(i -> request.addEvents(event("batch-" + i)));
        PublishBatchResponse response = stub.publishBatch(request.build());
        assertThat(response.getEventsList().stream().map(PublishResponse::getEventId))
                .containsExactlyElementsOf(
                        IntStream.range(0, 100).mapToObj(i -> "batch-" + i).toList());
        assertThat(rows.bySourceId("batch-99").source()).isEqualTo("accounts");
    }

    @Test
    void aBatchWithBadEventsIsRefusedAsAWholeAndNamesThem() {
        PublishBatchRequest request = PublishBatchRequest.newBuilder()
                .addEvents(event("whole-0"))
                .addEvents(bad("whole-1"))
                .addEvents(event().setEventId("whole-2").clearSourceService())
                .build();
        Statuses end = Statuses.of(() -> stub.publishBatch(request));
        assertThat(end.code()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(end.fields()).containsExactly("events[1].event_type", "events[2].source_service");
        assertThat(end.message())
                .startsWith("events[1].event_type: is missing; ")
                .endsWith("(and 1 more, see the details)");
        assertThat(end.reason()).isEqualTo("urn:posthorn:problem:invalid-event");
        assertThat(rows.countOf("whole-0")).isZero();
    }

    @Test
    void aBatchThatIsTooLongOrEmptyIsRefused() {
        PublishBatchRequest.Builder request = PublishBatchRequest.newBuilder();
        Statuses empty = Statuses.of(() -> stub.publishBatch(request.build()));
        assertThat(empty.code()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(empty.fields()).containsExactly("events");
        IntStream.range(0, 101).forEach(i -> request.addEvents(event("long-" + i)));
        Statuses end = Statuses.of(() -> stub.publishBatch(request.build()));
        assertThat(end.code()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(end.fields()).containsExactly("events[100]");
        assertThat(end.message()).contains("posthorn.limits.batch");
        assertThat(rows.countOf("long-0")).isZero();
    }

    static Stream<Arguments> wrongFields() {
        return Stream.of(
                wrong("event_type", Event.Builder::clearEventType),
                wrong("event_type", event -> event.setEventType("user.*")),
                wrong("source_service", Event.Builder::clearSourceService),
                wrong("event_id", event -> event.setEventId("x".repeat(256))),
                wrong("version", event -> event.setVersion(-1)),
                wrong("aggregate_type", event -> event.setAggregateType("two words")),
                wrong("key", event -> event.setKey("a\0b")),
                wrong("content_type", event -> event.setContentType("json")),
                wrong("headers", event -> event.putHeaders("bad name", "x")),
                wrong("headers", event -> event.putHeaders("name", "line\nbreak")),
                wrong("headers", event -> event.putHeaders("name", "x".repeat(20_000))),
                wrong(
                        "created_at",
                        event -> event.setCreatedAt(Timestamp.newBuilder().setSeconds(-90_000_000_000L))),
                wrong(
                        "created_at.seconds",
                        event -> event.setCreatedAt(Timestamp.newBuilder().setSeconds(Long.MAX_VALUE))),
                wrong(
                        "created_at.nanos",
                        event -> event.setCreatedAt(Timestamp.newBuilder().setNanos(-1))),
                wrong(
                        "deliver_at",
                        event -> event.setDeliverAt(Timestamp.newBuilder().setSeconds(900_000_000_000L))),
                wrong("payload", Event.Builder::clearPayload),
                wrong("payload", event -> event.setPayload(ByteString.copyFrom(new byte[10_241]))),
                wrong("message.type_url", event -> event.setMessage(Any.getDefaultInstance())));
    }

    private static Arguments wrong(String field, UnaryOperator<Event.Builder> change) {
        return Arguments.of(field, change.apply(event()).build());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrongFields")
    void aFieldThatIsWrongIsNamedAsTheProtocolCallsIt(String field, Event event) {
        Statuses end = Statuses.of(() -> stub.publish(event));
        assertThat(end.code()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(end.fields()).containsExactly(field);
        assertThat(end.message()).startsWith(field + ": ");
        assertThat(end.reason()).isEqualTo("urn:posthorn:problem:invalid-event");
    }

    @Test
    void everyFieldThatIsWrongIsNamedAtOnce() {
        Event empty = Event.newBuilder()
                .setVersion(-1)
                .setCreatedAt(Timestamp.newBuilder().setNanos(-1))
                .putHeaders("bad name", "x")
                .build();
        Statuses one = Statuses.of(() -> stub.publish(empty));
        assertThat(one.fields())
                .containsExactly("created_at.nanos", "payload", "source_service", "event_type", "version", "headers");
        Statuses batch = Statuses.of(() -> stub.publishBatch(PublishBatchRequest.newBuilder()
                .addEvents(event("all-0"))
                .addEvents(Event.getDefaultInstance())
                .build()));
        assertThat(batch.fields())
                .containsExactly("events[1].payload", "events[1].source_service", "events[1].event_type");
    }

    @Test
    void aMissingPayloadSaysWhatToDo() {
        Statuses end = Statuses.of(() -> stub.publish(event().clearPayload().build()));
        assertThat(end.message()).startsWith("payload: is missing; every event needs a payload");
    }

    @Test
    void aMessageBeyondTheBodyLimitIsRefused() {
        Event huge = event().setPayload(ByteString.copyFrom(new byte[1 << 20])).build();
        assertThat(Statuses.of(() -> stub.publish(huge)).code()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    }

    @Test
    void bytesThatAreNoEventAreRefused() {
        Statuses end = publishGarbage();
        assertThat(end.code()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(end.message()).contains("event_hub.proto");
        assertThat(end.reason()).isEqualTo("urn:posthorn:problem:invalid-request");
    }

    private static Statuses publishGarbage() {
        MethodDescriptor<byte[], PublishResponse> publish = EventHubGrpc.getPublishMethod().toBuilder(
                        new Bytes(), EventHubGrpc.getPublishMethod().getResponseMarshaller())
                .build();
        // Field 2, one byte, which is no UTF-8.
        byte[] garbage = {0x12, 0x01, (byte) 0xff};
        return Statuses.of(() -> ClientCalls.blockingUnaryCall(channel, publish, CallOptions.DEFAULT, garbage));
    }

    @Test
    void everyEventThatIsRefusedIsCounted() throws Exception {
        double before = refused();
        Statuses.of(() -> stub.publish(bad("c-1")));
        assertThat(refused() - before).as("an event").isEqualTo(1);
        PublishBatchRequest batch = PublishBatchRequest.newBuilder()
                .addAllEvents(List.of(bad("c-2"), event("c-3"), bad("c-4")))
                .build();
        Statuses.of(() -> stub.publishBatch(batch));
        assertThat(refused() - before).as("two of a batch").isEqualTo(3);
        StreamClient.open(channel)
                .read(2)
                .send(bad("c-5"))
                .send(event("c-6"))
                .halfClose()
                .awaitEnd();
        assertThat(refused() - before).as("one of a stream").isEqualTo(4);
        publishGarbage();
        assertThat(refused() - before).as("bytes that are no event").isEqualTo(5);
        stub.publish(event("c-7"));
        Statuses.of(() -> stub.publish(event().setEventId("c-7").setKey("k").build()));
        assertThat(refused() - before).as("another content").isEqualTo(6);
    }

    private static double refused() {
        return hub.bean(MeterRegistry.class)
                .get("posthorn.ingested")
                .tags("protocol", "grpc", "outcome", "refused")
                .counter()
                .count();
    }

    private record Bytes() implements MethodDescriptor.Marshaller<byte[]> {

        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            throw new UnsupportedOperationException("only sent");
        }
    }

    @Test
    void aStreamIsRecorded() throws Exception {
        StreamClient client = StreamClient.open(channel).read(Integer.MAX_VALUE);
        IntStream.range(0, 3_000).forEach(i -> client.send(i == 1_234 ? bad("s" + i) : event("s" + i)));
        List<PublishAck> acks = client.halfClose().awaitEnd();
        assertThat(client.error()).isNull();
        assertThat(acks).hasSize(3_000);
        assertThat(acks.stream().filter(PublishAck::hasRefusal).map(PublishAck::getPosition))
                .containsExactly(1_234L);
        assertThat(rows.countOf("s1233")).isEqualTo(1);
        assertThat(rows.countOf("s1234")).isZero();
        assertThat(rows.countOf("s2999")).isEqualTo(1);
    }
}
