package dev.posthorn.faults.attacks;

import dev.posthorn.faults.attacks.client.RawGrpc;
import dev.posthorn.v1.EventHubGrpc;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import java.util.concurrent.TimeUnit;

/** Sends messages that would be fifty times as large in memory. */
final class CountlessFields implements Attack {

    private static final int CALLERS = 4;
    private static final int LENGTH = 8_000_000;

    @Override
    public String name() {
        return "countless-fields";
    }

    @Override
    public String sentence() {
        return "4 publishers over gRPC with batches of 4,000,000 empty events of two bytes";
    }

    @Override
    public void run(Round round) {
        byte[] message = new byte[LENGTH];
        for (int i = 0; i < LENGTH; i += 2) {
            message[i] = 10;
        }
        ManagedChannel channel = round.hub().grpc();
        Channel withKey = ClientInterceptors.intercept(
                channel, RawGrpc.withKey(round.hub().publisherKey()));
        String method = EventHubGrpc.getPublishBatchMethod().getFullMethodName();
        round.repeat(CALLERS, "fields", () -> {
            CallOptions inTime = CallOptions.DEFAULT.withDeadlineAfter(10, TimeUnit.SECONDS);
            round.got().count("answers " + RawGrpc.call(withKey, method, message, inTime));
        });
        channel.shutdownNow();
    }
}
