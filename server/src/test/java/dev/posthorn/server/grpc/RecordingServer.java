package dev.posthorn.server.grpc;

import static java.util.concurrent.TimeUnit.SECONDS;

import dev.posthorn.event.EventLimits;
import dev.posthorn.server.memory.RequestMemory;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** The event hub's service in front of a recorder that a test has in its hand, over a real connection. */
final class RecordingServer implements AutoCloseable {

    /** Small, so that little is under way that nobody has in hand. */
    private static final int WINDOW = 65_535;

    private final ExecutorService executor = Executors.newFixedThreadPool(4);
    private final AtomicInteger taken = new AtomicInteger();
    private final EventHubService service;
    private final Server server;
    private final ManagedChannel channel;

    RecordingServer(EventRecorder recorder) {
        service = new EventHubService(
                recorder, new EventMapping(EventLimits.DEFAULT), 100, new RequestMemory(256 << 20), executor);
        try {
            server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .executor(executor)
                    .flowControlWindow(WINDOW)
                    .addService(service)
                    .intercept(new Count())
                    .build()
                    .start();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        channel = NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
                .usePlaintext()
                .flowControlWindow(WINDOW)
                .build();
    }

    EventHubService service() {
        return service;
    }

    ManagedChannel channel() {
        return channel;
    }

    /** How many messages the service has read, and has in hand. */
    int taken() {
        return taken.get();
    }

    @Override
    public void close() {
        channel.shutdownNow();
        try {
            // The server still needs its threads to end its calls.
            channel.awaitTermination(60, SECONDS);
            server.shutdownNow().awaitTermination(60, SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        executor.shutdown();
    }

    private final class Count implements ServerInterceptor {

        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, A> call, Metadata metadata, ServerCallHandler<Q, A> next) {
            return new SimpleForwardingServerCallListener<>(next.startCall(call, metadata)) {
                @Override
                public void onMessage(Q message) {
                    super.onMessage(message);
                    taken.incrementAndGet();
                }
            };
        }
    }
}
