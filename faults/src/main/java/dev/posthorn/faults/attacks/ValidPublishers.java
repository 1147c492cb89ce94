package dev.posthorn.faults.attacks;

import com.google.protobuf.ByteString;
import dev.posthorn.faults.attacks.client.RawGrpc;
import dev.posthorn.faults.attacks.client.RestAnswer;
import dev.posthorn.faults.attacks.client.RestConnection;
import dev.posthorn.v1.Event;
import dev.posthorn.v1.EventHubGrpc;
import dev.posthorn.v1.EventHubGrpc.EventHubBlockingStub;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** Those for whom the hub is there: they publish an event at a time, one over REST and one over gRPC. */
final class ValidPublishers {

    private static final Duration THINK = Duration.ofMillis(10);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** Where gRPC puts the details of a status; what the hub itself refuses has them, a broken connection has not. */
    private static final Metadata.Key<byte[]> DETAILS =
            Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

    private final Served rest = new Served("REST");
    private final Served grpc = new Served("gRPC");

    List<Served> all() {
        return List.of(rest, grpc);
    }

    /** Those of whose calls fewer of a hundred were served. */
    List<String> late(double leastPercent) {
        return all().stream()
                .filter(each -> !each.isEnough(leastPercent))
                .map(Served::toString)
                .toList();
    }

    void publishByRest(Round round) throws IOException, InterruptedException {
        AttackedHub hub = round.hub();
        try (RestConnection connection = hub.rest(hub.publisherKey(), PATIENCE)) {
            do {
                publishOne(connection, round);
                round.pause(THINK);
            } while (!round.isOver());
        }
    }

    private void publishOne(RestConnection connection, Round round) {
        UUID id = UUID.randomUUID();
        long begun = System.nanoTime();
        try {
            RestAnswer answer = connection.call("POST", "/v1/events", json(id, "valid", "1"));
            if (answer.isServed()) {
                rest.served(begun);
                round.acknowledged().add(id);
            } else if (answer.isShed()) {
                rest.shed(begun);
            } else {
                rest.failed(begun, answer + ": " + answer.body());
            }
        } catch (IOException e) {
            rest.failed(begun, e.toString());
        }
    }

    /** An event of a source and type that are both called so. */
    static String json(UUID id, String name, String data) {
        return "{\"id\":\"%s\",\"source\":\"%s\",\"type\":\"%s\",\"data\":%s}".formatted(id, name, name, data);
    }

    void publishByGrpc(Round round) throws InterruptedException {
        ManagedChannel channel = round.hub().grpc();
        EventHubBlockingStub stub = EventHubGrpc.newBlockingStub(channel)
                .withInterceptors(RawGrpc.withKey(round.hub().publisherKey()));
        try {
            do {
                // It would wait for longer and longer between attempts to connect.
                channel.resetConnectBackoff();
                publishOne(stub.withDeadlineAfter(PATIENCE.toMillis(), TimeUnit.MILLISECONDS), round);
                round.pause(THINK);
            } while (!round.isOver());
        } finally {
            channel.shutdownNow();
        }
    }

    private void publishOne(EventHubBlockingStub stub, Round round) {
        UUID id = UUID.randomUUID();
        long begun = System.nanoTime();
        try {
            stub.publish(event(id));
            grpc.served(begun);
            round.acknowledged().add(id);
        } catch (StatusRuntimeException e) {
            if (isShed(e)) {
                grpc.shed(begun);
            } else {
                grpc.failed(begun, e.getStatus().toString());
            }
        }
    }

    private static Event event(UUID id) {
        return Event.newBuilder()
                .setEventId(id.toString())
                .setEventType("valid")
                .setSourceService("valid")
                .setContentType("text/plain")
                .setPayload(ByteString.copyFromUtf8("1"))
                .build();
    }

    /** Whether it is the hub that says no, for now. */
    private static boolean isShed(StatusRuntimeException e) {
        Status.Code code = e.getStatus().getCode();
        Metadata trailers = e.getTrailers();
        return (code == Status.Code.UNAVAILABLE || code == Status.Code.RESOURCE_EXHAUSTED)
                && trailers != null
                && trailers.containsKey(DETAILS);
    }
}
