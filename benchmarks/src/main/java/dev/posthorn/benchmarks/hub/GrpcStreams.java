package dev.posthorn.benchmarks.hub;

import static java.util.concurrent.TimeUnit.SECONDS;

import com.google.protobuf.Timestamp;
import com.google.protobuf.UnsafeByteOperations;
import dev.posthorn.event.Event;
import dev.posthorn.v1.EventHubGrpc;
import dev.posthorn.v1.PublishAck;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** Publishes events over gRPC, one stream of a connection at a time, as fast as flow control lets it. */
final class GrpcStreams implements Publishing {

    private static final int PATIENCE_SECONDS = 120;

    private final List<NewEvents> samples;
    private final List<ManagedChannel> channels = new ArrayList<>();

    GrpcStreams(String hub, List<NewEvents> samples) {
        this.samples = samples;
        for (int i = 0; i < samples.size(); i++) {
            // A producer is a process of its own, so each has a connection; nothing here waits, so no thread is handed
            // on to.
            channels.add(NettyChannelBuilder.forTarget(hub)
                    .usePlaintext()
                    .directExecutor()
                    .build());
        }
    }

    @Override
    public void publish(int connection, int events) throws ExecutionException, InterruptedException, TimeoutException {
        Stream stream = new Stream(samples.get(connection), events);
        EventHubGrpc.newStub(channels.get(connection)).publishStream(stream);
        stream.done.get(PATIENCE_SECONDS, SECONDS);
    }

    @Override
    public void close() {
        channels.forEach(ManagedChannel::shutdownNow);
    }

    private static final class Stream implements ClientResponseObserver<dev.posthorn.v1.Event, PublishAck> {

        private final NewEvents from;
        private final int events;
        private final CompletableFuture<Void> done = new CompletableFuture<>();
        private int sent;
        private int recorded;

        Stream(NewEvents from, int events) {
            this.from = from;
            this.events = events;
        }

        @Override
        public void beforeStart(ClientCallStreamObserver<dev.posthorn.v1.Event> hub) {
            hub.setOnReadyHandler(() -> send(hub));
        }

        private void send(ClientCallStreamObserver<dev.posthorn.v1.Event> hub) {
            while (sent < events && hub.isReady()) {
                hub.onNext(message(from.next()));
                if (++sent == events) {
                    hub.onCompleted();
                }
            }
        }

        @Override
        public void onNext(PublishAck ack) {
            if (ack.hasRefusal() || ack.getDuplicate()) {
                throw new IllegalStateException("An event was not recorded: " + ack);
            }
            recorded++;
        }

        @Override
        public void onError(Throwable error) {
            done.completeExceptionally(error);
        }

        @Override
        public void onCompleted() {
            if (recorded == events) {
                done.complete(null);
            } else {
                done.completeExceptionally(new IllegalStateException(
                        "The stream ended after " + recorded + " acknowledgements for " + events + " events"));
            }
        }
    }

    private static dev.posthorn.v1.Event message(Event event) {
        Instant time = Objects.requireNonNull(event.occurredAt());
        return dev.posthorn.v1.Event.newBuilder()
                .setEventId(event.id().toString())
                .setEventType(event.type())
                .setSourceService(event.source())
                .setCreatedAt(
                        Timestamp.newBuilder().setSeconds(time.getEpochSecond()).setNanos(time.getNano()))
                .setVersion(event.version())
                .setAggregateType(Objects.requireNonNull(event.aggregateType()))
                .setKey(Objects.requireNonNull(event.key()))
                .setContentType(event.contentType())
                .setPayload(UnsafeByteOperations.unsafeWrap(event.payload()))
                .build();
    }
}
