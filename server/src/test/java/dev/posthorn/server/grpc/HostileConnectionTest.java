package dev.posthorn.server.grpc;

import static dev.posthorn.server.grpc.SampleEvents.event;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.memory.RequestMemory;
import dev.posthorn.v1.Event;
import dev.posthorn.v1.EventHubGrpc;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client without any right could do to the hub by its connection alone, and one with a key by sheer size. */
class HostileConnectionTest {

    private static final long MIB = 1 << 20;
    private static final long CHUNK = 16 << 10;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int END_HEADERS = 4;

    private static TestHub hub;
    private static ManagedChannel channel;
    private static long mebibytes;

    @BeforeAll
    static void start() {
        hub = TestHub.start();
        mebibytes = freeMebibytes();
        channel = Channels.to(hub);
    }

    @AfterAll
    static void stop() {
        channel.shutdownNow();
        hub.close();
    }

    @Test
    void aConnectionThatResetsItsCallsAsFastAsItOpensThemIsClosed() throws Exception {
        byte[] call = callOfHealth();
        try (Socket socket = new Socket(
                InetAddress.getLoopbackAddress(), hub.bean(GrpcListener.class).port())) {
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(ISO_8859_1));
            frame(out, SETTINGS, 0, 0, new byte[0]);
            socket.setSoTimeout(60_000);
            Thread reset = new Thread(() -> resetMany(out, call));
            reset.start();
            assertThat(readToTheEnd(socket.getInputStream())).isTrue();
            reset.join(60_000);
        }
        assertThat(EventHubGrpc.newBlockingStub(channel)
                        .publish(event("after the resets"))
                        .getEventId())
                .isEqualTo("after the resets");
    }

    private static void resetMany(DataOutputStream out, byte[] call) {
        try {
            for (int stream = 1; stream < 10_000; stream += 2) {
                frame(out, HEADERS, END_HEADERS, stream, call);
                frame(out, RST_STREAM, 0, stream, new byte[] {0, 0, 0, 8});
            }
            out.flush();
        } catch (IOException closed) {
            // As it should be.
        }
    }

    /** Whether it does end, be it by a reset, before the time is up. */
    private static boolean readToTheEnd(InputStream in) throws IOException {
        try {
            in.readAllBytes();
            return true;
        } catch (java.net.SocketTimeoutException goesOn) {
            return false;
        } catch (java.net.SocketException closed) {
            return true;
        }
    }

    private static void frame(DataOutputStream out, int type, int flags, int stream, byte[] content)
            throws IOException {
        out.writeByte(0);
        out.writeShort(content.length);
        out.writeByte(type);
        out.writeByte(flags);
        out.writeInt(stream);
        out.write(content);
    }

    /** Headers as HPACK writes them without a table. */
    private static byte[] callOfHealth() {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        for (String text : new String[] {
            ":method",
            "POST",
            ":scheme",
            "http",
            ":path",
            "/grpc.health.v1.Health/Check",
            ":authority",
            "localhost",
            "content-type",
            "application/grpc",
            "te",
            "trailers"
        }) {
            if (block.size() == 0 || isName(text)) {
                block.write(0);
            }
            block.write(text.length());
            block.writeBytes(text.getBytes(ISO_8859_1));
        }
        return block.toByteArray();
    }

    private static boolean isName(String text) {
        return text.startsWith(":") || text.equals("content-type") || text.equals("te");
    }

    @Test
    void whatEverybodyMayCallTakesNoLargeMessages() {
        assertThat(callHealth(new byte[1 << 20])).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(callHealth(new byte[10])).as("what it cannot read").isEqualTo(Status.Code.INVALID_ARGUMENT);
        awaitAllGivenBack();
    }

    private static Status.Code callHealth(byte[] message) {
        return Statuses.of(() -> ClientCalls.blockingUnaryCall(
                        channel, anything("grpc.health.v1.Health/Check"), CallOptions.DEFAULT, message))
                .code();
    }

    @Test
    void whoeverComesWhenTheMemoryIsTakenIsToldToComeAgain() throws Exception {
        awaitAllGivenBack();
        RequestMemory memory = hub.bean(RequestMemory.class);
        Event large =
                event().setPayload(ByteString.copyFrom(new byte[1_000_000])).build();
        TestClient octets = hub.rest()
                .with("ce-specversion", "1.0")
                .with("ce-source", "s")
                .with("ce-type", "t")
                .with("ce-id", "late")
                .with("Content-Type", "application/octet-stream");
        assertThat(memory.take(mebibytes * MIB, 0)).isTrue();
        try {
            Statuses refused =
                    Statuses.of(() -> EventHubGrpc.newBlockingStub(channel).publish(large));
            assertThat(refused.code()).isEqualTo(Status.Code.UNAVAILABLE);
            assertThat(refused.retrySeconds()).isEqualTo(1);
            assertThat(Statuses.of(() -> EventHubGrpc.newBlockingStub(channel)
                                    .withCompression("gzip")
                                    .publish(large))
                            .code())
                    .as("large once it is unpacked")
                    .isEqualTo(Status.Code.UNAVAILABLE);
            StreamClient stream = StreamClient.open(channel).read(10).send(large);
            assertThat(stream.awaitEnd()).isEmpty();
            assertThat(Statuses.of(stream.error()).code()).isEqualTo(Status.Code.UNAVAILABLE);
            TestClient.Answer answer = octets.call("POST", "/v1/events", new byte[1_000_000]);
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.header("Retry-After")).isEqualTo("1");
        } finally {
            memory.giveBack(mebibytes * MIB);
        }
        assertThat(EventHubGrpc.newBlockingStub(channel).publish(large).getDuplicate())
                .isFalse();
        assertThat(octets.call("POST", "/v1/events", new byte[1_000_000]).status())
                .isEqualTo(202);
        StreamClient stream = StreamClient.open(channel).read(100);
        for (int i = 0; i < 20; i++) {
            stream.send(large).send(event("small-" + i)).send(SampleEvents.bad("bad-" + i));
        }
        assertThat(stream.halfClose().awaitEnd()).hasSize(60);
        awaitAllGivenBack();
    }

    /** One publisher with large events, or anybody with begun messages, would keep all others out. */
    @Test
    void thereIsRoomForSmallRequestsWhenLargeOnesHaveTakenTheirs() throws Exception {
        awaitAllGivenBack();
        RequestMemory memory = hub.bean(RequestMemory.class);
        assertThat(memory.take(mebibytes * MIB, 0)).isTrue();
        try {
            assertThat(EventHubGrpc.newBlockingStub(channel)
                            .publish(event("small-unary"))
                            .getEventId())
                    .isEqualTo("small-unary");
            StreamClient stream = StreamClient.open(channel)
                    .read(10)
                    .send(event("small-stream"))
                    .halfClose();
            assertThat(stream.awaitEnd()).hasSize(1);
            assertThat(hub.rest()
                            .post("/v1/events", "{\"source\":\"s\",\"type\":\"t\",\"data\":1}")
                            .status())
                    .isEqualTo(202);
        } finally {
            memory.giveBack(mebibytes * MIB);
        }
    }

    @Test
    void whatEverybodyMayCallHasAShareOfItsOwn() {
        RequestMemory anybodys = hub.bean(RequestMemory.class).ofAnybody();
        long taken = 0;
        while (anybodys.take(CHUNK, 0)) {
            taken += CHUNK;
        }
        try {
            assertThat(callHealth(new byte[30_000])).isEqualTo(Status.Code.UNAVAILABLE);
            assertThat(ClientCalls.blockingUnaryCall(
                            channel, anything("grpc.health.v1.Health/Check"), CallOptions.DEFAULT, new byte[0]))
                    .as("the answer to a call as it should be")
                    .isNotEmpty();
            assertThat(EventHubGrpc.newBlockingStub(channel)
                            .publish(event("beside anybody"))
                            .getEventId())
                    .isEqualTo("beside anybody");
        } finally {
            anybodys.giveBack(taken);
        }
        assertThat(taken).isLessThan(freeMebibytes() * MIB / 8);
    }

    /** Two bytes each in the message, and fifty times as much in memory. */
    @ParameterizedTest
    @ValueSource(strings = {"identity", "gzip"})
    void aMessageOfCountlessFieldsIsRefusedUnread(String encoding) {
        Statuses emptyEvents = Statuses.of(() -> publishBatch(encoding, repeated(new byte[] {10, 0})));
        assertThat(emptyEvents.code()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(emptyEvents.message()).contains("fields", "fewer events");
        assertThat(Statuses.of(() -> publishBatch(encoding, repeated(new byte[] {120, 1})))
                        .code())
                .as("fields that nobody knows")
                .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        awaitAllGivenBack();
    }

    private static byte[] repeated(byte[] field) {
        ByteBuffer message = ByteBuffer.allocate(8_000_000);
        while (message.hasRemaining()) {
            message.put(field);
        }
        return message.array();
    }

    private static void publishBatch(String encoding, byte[] message) {
        ClientCalls.blockingUnaryCall(
                channel,
                anything(EventHubGrpc.getPublishBatchMethod().getFullMethodName()),
                CallOptions.DEFAULT.withCompression(encoding),
                message);
    }

    /** What a call had in hand may be given back after its answer was sent. */
    private static void awaitAllGivenBack() {
        await().atMost(60, SECONDS).until(() -> freeMebibytes() == mebibytes);
    }

    /** How much could be taken now. */
    private static long freeMebibytes() {
        RequestMemory memory = hub.bean(RequestMemory.class);
        long taken = 0;
        while (memory.take(MIB, 0)) {
            taken++;
        }
        memory.giveBack(taken * MIB);
        return taken;
    }

    private static MethodDescriptor<byte[], byte[]> anything(String method) {
        MethodDescriptor.Marshaller<byte[]> bytes = new MethodDescriptor.Marshaller<>() {
            @Override
            public InputStream stream(byte[] value) {
                return new ByteArrayInputStream(value);
            }

            @Override
            public byte[] parse(InputStream in) {
                try {
                    return in.readAllBytes();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
        return MethodDescriptor.<byte[], byte[]>newBuilder(bytes, bytes)
                .setType(MethodType.UNARY)
                .setFullMethodName(method)
                .build();
    }
}
