package dev.posthorn.server.grpc;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** On a server whose calls are admitted if they carry any key. */
class OpenConnectionsTest {

    private static final int MOST = 10;
    private static final Metadata.Key<String> KEY = Metadata.Key.of("x-api-key", Metadata.ASCII_STRING_MARSHALLER);

    private final OpenConnections connections = new OpenConnections(MOST);
    private final List<Socket> strangers = new ArrayList<>();
    private final List<ManagedChannel> clients = new ArrayList<>();
    private @Nullable Server server;
    private @Nullable EventLoopGroup loops;
    private int port;

    private final class Admitting implements ServerInterceptor {
        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            if (headers.containsKey(KEY)) {
                connections.admitted(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
            }
            return next.startCall(call, headers);
        }
    }

    @BeforeEach
    void start() throws IOException {
        NettyServerBuilder builder = NettyServerBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .addService(new HealthStatusManager().getHealthService())
                .intercept(new Admitting());
        loops = connections.serve(builder);
        Server built = builder.build().start();
        server = built;
        port = built.getPort();
    }

    @AfterEach
    void stop() throws Exception {
        clients.forEach(ManagedChannel::shutdownNow);
        for (Socket each : strangers) {
            each.close();
        }
        if (server != null && loops != null) {
            server.shutdownNow().awaitTermination(60, SECONDS);
            var unused = loops.shutdownGracefully(0, 1, SECONDS);
        }
    }

    private ManagedChannel client() {
        ManagedChannel client = Channels.to(port);
        clients.add(client);
        return client;
    }

    private static void call(ManagedChannel client, String key) {
        Metadata headers = new Metadata();
        headers.put(KEY, key);
        HealthGrpc.newBlockingStub(client)
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
                .withDeadlineAfter(60, SECONDS)
                .check(HealthCheckRequest.getDefaultInstance());
    }

    /** One after the other, so that the order in which they came is known. */
    private void come(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            strangers.add(new Socket(InetAddress.getLoopbackAddress(), port));
        }
    }

    private static boolean isClosed(Socket socket) throws IOException {
        socket.setSoTimeout(60_000);
        try {
            while (true) {
                if (socket.getInputStream().read() < 0) {
                    return true;
                }
            }
        } catch (SocketException reset) {
            return true;
        }
    }

    @Test
    void aCrowdOfStrangersKeepsOutNobodyWhoHasAKey() throws Exception {
        ManagedChannel known = client();
        call(known, "a key");
        come(10 * MOST);

        await().atMost(60, SECONDS)
                .untilAsserted(() -> assertThat(connections.count()).isEqualTo(MOST));
        assertThat(isClosed(strangers.get(0)))
                .as("who has been there for longest")
                .isTrue();
        call(client(), "a key");
        call(known, "a key");
        assertThat(connections.count()).isLessThanOrEqualTo(MOST);
    }

    @Test
    void whoComesWhenAllPlacesAreTakenByThoseWithAKeyIsSentAwayAtOnce() throws Exception {
        for (int i = 0; i < MOST; i++) {
            call(client(), "a key");
        }
        come(1);
        assertThat(isClosed(strangers.get(0))).isTrue();
        assertThatThrownBy(() -> call(client(), "a key"))
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        refused -> assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE));

        clients.get(0).shutdownNow().awaitTermination(60, SECONDS);
        // Until the server has seen that one is gone, it refuses by an exception.
        await().atMost(60, SECONDS).ignoreExceptions().untilAsserted(() -> call(client(), "a key"));
    }
}
