package dev.posthorn.faults.hub;

import com.google.protobuf.ByteString;
import dev.posthorn.faults.harness.Change;
import dev.posthorn.v1.Event;
import dev.posthorn.v1.EventHubGrpc;
import dev.posthorn.v1.PublishAck;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Publishes over a gRPC stream; when that breaks, opens another one and sends again what was not acknowledged. */
final class StreamPublisher {

    private static final int MOST_OPEN = 300;
    private static final int PAUSE_MILLIS = 100;
    private static final int THINK_MILLIS = 12;

    private final int port;
    private final Keys keys;
    private final SplittableRandom random;
    private final Journal journal;
    private final Deque<Change> open = new ArrayDeque<>();
    private @Nullable String wrong;

    StreamPublisher(int port, Keys keys, SplittableRandom random, Journal journal) {
        this.port = port;
        this.keys = keys;
        this.random = random;
        this.journal = journal;
    }

    void publishUntil(BooleanSupplier stopping) throws InterruptedException {
        ManagedChannel channel =
                NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
        try {
            while (!stopping.getAsBoolean() || openCount() > 0) {
                // It would wait for longer and longer between attempts to connect.
                channel.resetConnectBackoff();
                new Session(channel).run(stopping);
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        } finally {
            channel.shutdownNow();
        }
    }

    private synchronized int openCount() {
        if (wrong != null) {
            throw new IllegalStateException(wrong);
        }
        return open.size();
    }

    private synchronized Change next() {
        Change change = keys.next();
        open.add(change);
        return change;
    }

    private Event message(Change change) {
        return Event.newBuilder()
                .setEventId(change.id().toString())
                .setEventType(keys.traffic().type(change.aggregate()))
                .setSourceService("faults")
                .setKey(change.aggregate())
                .setContentType("text/plain")
                .setPayload(ByteString.copyFromUtf8(Keys.text(change)))
                .build();
    }

    /** One stream, from its opening to its end. */
    private final class Session implements StreamObserver<PublishAck> {

        private final StreamObserver<Event> hub;
        private long position;
        private volatile boolean ended;

        Session(ManagedChannel channel) {
            this.hub = EventHubGrpc.newStub(channel).publishStream(this);
        }

        void run(BooleanSupplier stopping) throws InterruptedException {
            List<Change> again;
            synchronized (StreamPublisher.this) {
                again = List.copyOf(open);
            }
            again.forEach(change -> hub.onNext(message(change)));
            while (!ended && (!stopping.getAsBoolean() || openCount() > 0)) {
                if (openCount() < MOST_OPEN && !stopping.getAsBoolean()) {
                    hub.onNext(message(next()));
                }
                TimeUnit.MILLISECONDS.sleep(
                        random.nextInt(THINK_MILLIS * keys.traffic().thinking()));
            }
            if (!ended) {
                hub.onCompleted();
            }
        }

        @Override
        public void onNext(PublishAck ack) {
            synchronized (StreamPublisher.this) {
                Change change = open.poll();
                if (change == null
                        || ack.hasRefusal()
                        || ack.getPosition() != position++
                        || !ack.getEventId().equals(change.id().toString())) {
                    wrong = "expected the acknowledgement of " + change + ", got " + ack;
                } else {
                    // When it was sent is not known, so it tells nothing about how long a recovery took.
                    journal.acknowledged(List.of(change), Long.MIN_VALUE);
                    journal.count("gRPC duplicates", ack.getDuplicate() ? 1 : 0);
                }
            }
        }

        @Override
        public void onError(Throwable cause) {
            synchronized (StreamPublisher.this) {
                if (Status.fromThrowable(cause).getCode() == Status.Code.UNAVAILABLE) {
                    journal.count("gRPC streams unavailable");
                } else {
                    wrong = "a stream ended with " + cause;
                }
            }
            ended = true;
        }

        @Override
        public void onCompleted() {
            ended = true;
        }
    }
}
