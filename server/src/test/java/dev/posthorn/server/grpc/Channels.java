package dev.posthorn.server.grpc;

import dev.posthorn.server.TestHub;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;

/** Connections to a hub's gRPC listener. */
final class Channels {

    private Channels() {}

    static ManagedChannel to(TestHub hub) {
        return to(hub.bean(GrpcListener.class).port());
    }

    static ManagedChannel to(int port) {
        return NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    }
}
