package dev.posthorn.server.grpc;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import dev.posthorn.server.database.DatabaseKeeper;
import dev.posthorn.server.memory.RequestMemory;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.settings.HubSettings;
import dev.posthorn.server.settings.WrongSettingException;
import dev.posthorn.v1.EventHubGrpc;
import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.ServerCredentials;
import io.grpc.ServerInterceptor;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionService;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/** The gRPC server: event hub, health and reflection, as {@code posthorn.grpc} says. */
@Component
public final class GrpcListener implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(GrpcListener.class);

    private static final long DRAIN_SECONDS = 10;
    private static final long END_SECONDS = 5;

    /** For calls on a connection that has reached its age; streams end by themselves before. */
    private static final long GRACE_SECONDS = 30;

    /** A client that cancels its calls at this rate does nothing else; its connection is closed. */
    private static final int MOST_RESETS = 1_000;

    private static final int RESETS_SECONDS = 10;

    /** Of a message, which is a batch at most: an event has a dozen, and three for each header. */
    private static final int FEWEST_FIELDS = 100_000;

    private static final int FIELDS_PER_EVENT = 32;

    /** A connection without calls is closed; its client opens another one when it has something to say. */
    private static final long IDLE_SECONDS = 300;

    /** From a connection to its first words. */
    private static final long HANDSHAKE_SECONDS = 10;

    private static final Duration SOON = Duration.ofSeconds(1);

    private final HubSettings settings;
    private final RequestMemory memory;
    private final OpenConnections connections;
    private final List<ServerInterceptor> interceptors;
    private final HealthStatusManager health = new HealthStatusManager();
    private final ExecutorService executor;
    private final EventHubService events;
    private volatile @Nullable Server server;
    private @Nullable EventLoopGroup loops;

    GrpcListener(
            HubSettings settings,
            DatabaseKeeper keeper,
            EventHubService events,
            RequestMemory memory,
            OpenConnections connections,
            ObjectProvider<ServerInterceptor> interceptors) {
        this.settings = settings;
        this.memory = memory;
        this.connections = connections;
        this.interceptors = interceptors.orderedStream().toList();
        this.events = events;
        this.executor = events.executor();
        serve(ServingStatus.NOT_SERVING);
        keeper.onceReady(() -> serve(ServingStatus.SERVING));
    }

    private void serve(ServingStatus status) {
        health.setStatus(HealthStatusManager.SERVICE_NAME_ALL_SERVICES, status);
        health.setStatus(EventHubGrpc.SERVICE_NAME, status);
    }

    int openStreams() {
        return events.openStreams();
    }

    /** Where it listens, once it does. */
    public int port() {
        Server started = server;
        return started == null ? settings.grpc().port() : started.getPort();
    }

    @Override
    public void start() {
        Server built = build();
        try {
            server = built.start();
        } catch (IOException e) {
            endLoops();
            throw WrongSettingException.cannotListen(
                    "posthorn.grpc",
                    "gRPC",
                    settings.grpc().address(),
                    settings.grpc().port(),
                    e);
        }
        log.info("gRPC listens on {}:{}", settings.grpc().address(), port());
    }

    private Server build() {
        ConnectionAge age = new ConnectionAge(settings.grpc().connectionAge());
        NettyServerBuilder builder = builder()
                .executor(executor)
                .maxInboundMessageSize((int) settings.limits().body().toBytes())
                .maxConcurrentCallsPerConnection(settings.limits().concurrentRequests())
                .keepAliveTime(60, SECONDS)
                .keepAliveTimeout(20, SECONDS)
                .permitKeepAliveTime(10, SECONDS)
                .permitKeepAliveWithoutCalls(true)
                .maxConnectionAge(settings.grpc().connectionAge().toMillis(), MILLISECONDS)
                .maxConnectionAgeGrace(GRACE_SECONDS, SECONDS)
                .maxConnectionIdle(IDLE_SECONDS, SECONDS)
                .handshakeTimeout(HANDSHAKE_SECONDS, SECONDS)
                .addTransportFilter(age)
                .addStreamTracerFactory(InboundBytes.counting(memory))
                .maxRstFramesPerWindow(MOST_RESETS, RESETS_SECONDS)
                .intercept(new CallTrace())
                .intercept(age);
        loops = connections.serve(builder);
        int mostFields =
                Math.max(FEWEST_FIELDS, FIELDS_PER_EVENT * settings.limits().batch());
        builder.addService(ReadableOnly.guard(events, mostFields, events::refused));
        for (BindableService each :
                List.of(health.getHealthService(), ProtoReflectionServiceV1.newInstance(), olderReflection())) {
            builder.addService(ReadableOnly.guard(each, mostFields, refused -> {}));
        }
        // The one that is added last is asked first.
        for (int i = interceptors.size() - 1; i >= 0; i--) {
            builder.intercept(interceptors.get(i));
        }
        return builder.build();
    }

    /** Many generic clients still ask for it first, and some for nothing else. */
    @SuppressWarnings("deprecation")
    private static BindableService olderReflection() {
        return ProtoReflectionService.newInstance();
    }

    private NettyServerBuilder builder() {
        InetSocketAddress address = address();
        ServerCredentials credentials = Tls.credentials(settings.grpc().tls());
        try {
            return NettyServerBuilder.forAddress(address, credentials);
        } catch (IllegalArgumentException e) {
            throw Tls.useless(settings.grpc().tls(), e);
        }
    }

    private InetSocketAddress address() {
        String address = settings.grpc().address();
        try {
            return new InetSocketAddress(
                    InetAddress.getByName(address), settings.grpc().port());
        } catch (UnknownHostException e) {
            throw new WrongSettingException(
                    "posthorn.grpc.address is '" + address + "', which is no address of this machine", e);
        }
    }

    @Override
    public void stop() {
        Server stopping = server;
        if (stopping == null) {
            return;
        }
        health.enterTerminalState();
        stopping.shutdown();
        events.endStreams(
                Problem.unavailable("the hub stops; connect again and send what was not acknowledged once more", SOON));
        try {
            if (!stopping.awaitTermination(DRAIN_SECONDS, SECONDS)) {
                log.warn("gRPC calls still ran after {} s; they were ended", DRAIN_SECONDS);
                stopping.shutdownNow().awaitTermination(END_SECONDS, SECONDS);
            }
        } catch (InterruptedException e) {
            stopping.shutdownNow();
            Thread.currentThread().interrupt();
        } finally {
            executor.shutdown();
            endLoops();
            server = null;
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // They are daemons, and nothing is left for them to do.
    private void endLoops() {
        if (loops != null) {
            loops.shutdownGracefully(0, END_SECONDS, SECONDS);
        }
    }

    @Override
    public boolean isRunning() {
        return server != null;
    }

    /** After the database's, before the web server's. */
    @Override
    public int getPhase() {
        return 1_000;
    }
}
