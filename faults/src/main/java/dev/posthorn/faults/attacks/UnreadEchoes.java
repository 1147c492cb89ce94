package dev.posthorn.faults.attacks;

import dev.posthorn.faults.attacks.client.RawGrpc;
import dev.posthorn.faults.harness.Crew;
import dev.posthorn.v1.Event;
import dev.posthorn.v1.EventHubGrpc;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import java.time.Duration;

/** Has large ids told back to it, and does not listen. */
final class UnreadEchoes implements Attack {

    private static final int STREAMS = 6;
    private static final Duration PAUSE = Duration.ofMillis(20);

    @Override
    public String name() {
        return "echoes";
    }

    @Override
    public String sentence() {
        return "6 gRPC streams with ids of 15 MiB, whose acknowledgements nobody reads";
    }

    @Override
    public void run(Round round) {
        byte[] event = Event.newBuilder()
                .setEventId("x".repeat(15 << 20))
                .setEventType("echo")
                .setSourceService("echo")
                .build()
                .toByteArray();
        Crew crew = new Crew();
        for (int i = 0; i < STREAMS; i++) {
            crew.start("echoes", () -> streamAll(round, event));
        }
        crew.join();
    }

    private static void streamAll(Round round, byte[] event) throws InterruptedException {
        ManagedChannel channel = round.hub().grpc();
        try {
            while (!round.isOver()) {
                new Deaf(channel, round).sendUntilEnded(event);
                round.pause(PAUSE);
            }
        } finally {
            channel.shutdownNow();
        }
    }

    /** A stream that asks for no acknowledgement. */
    private static final class Deaf extends ClientCall.Listener<byte[]> {

        private final Round round;
        private final ClientCall<byte[], byte[]> call;
        private volatile boolean ended;

        Deaf(ManagedChannel channel, Round round) {
            this.round = round;
            this.call = ClientInterceptors.intercept(
                            channel, RawGrpc.withKey(round.hub().publisherKey()))
                    .newCall(
                            RawGrpc.method(
                                    MethodType.BIDI_STREAMING,
                                    EventHubGrpc.getPublishStreamMethod().getFullMethodName()),
                            CallOptions.DEFAULT);
            call.start(this, new Metadata());
        }

        void sendUntilEnded(byte[] event) throws InterruptedException {
            while (!ended && !round.isOver()) {
                if (call.isReady()) {
                    call.sendMessage(event);
                    round.got().count("events sent");
                }
                round.pause(PAUSE);
            }
            call.cancel("over", null);
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            if (!round.isOver()) {
                round.got().count("streams ended with " + status.getCode());
            }
            ended = true;
        }
    }
}
