package dev.posthorn.server.grpc;

import dev.posthorn.server.access.Call;
import dev.posthorn.server.access.Caller;
import dev.posthorn.server.access.Gate;
import dev.posthorn.server.access.ProxySigns;
import dev.posthorn.server.access.Role;
import dev.posthorn.server.access.Scope;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.v1.EventHubGrpc;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.StatusRuntimeException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Holds every gRPC call against the API keys: publishing is for publishers, health and reflection are for all. */
@Component
class GrpcAccess implements ServerInterceptor {

    private static final Set<String> OPEN = Set.of(
            "grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection");

    private static final Metadata.Key<String> AUTHORIZATION = key("authorization");
    private static final Metadata.Key<String> API_KEY = key("x-api-key");

    /** Who a call's maker is that nobody has admitted: may publish nothing. */
    static final Caller NOBODY =
            new Caller("nobody", Role.VIEWER, false, new Scope(List.of("(nothing)"), List.of("(nothing)")));

    private static final Context.Key<Caller> CALLER = Context.keyWithDefault("caller", NOBODY);

    private final Gate gate;
    private final OpenConnections connections;
    private final Set<Admitted> open = ConcurrentHashMap.newKeySet();

    /** A call that was let in, and as whom. */
    private record Admitted(RevocableCall<?, ?> call, Call made, Caller caller) {}

    GrpcAccess(Gate gate, OpenConnections connections) {
        this.gate = gate;
        this.connections = connections;
        gate.onChange(() -> open.forEach(this::checkAgain));
    }

    private void checkAgain(Admitted admitted) {
        try {
            gate.checkAgain(admitted.made(), admitted.caller());
        } catch (ProblemException refused) {
            open.remove(admitted);
            admitted.call().revoke(refused.problem());
        }
    }

    private static Metadata.Key<String> key(String name) {
        return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    }

    /** Of the call that this thread serves. */
    static Caller caller() {
        return CALLER.get();
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        String service = String.valueOf(call.getMethodDescriptor().getServiceName());
        try {
            Call made = call(call, headers);
            return isOpen(service)
                    ? start(new RevocableCall<>(call), headers, next, () -> {})
                    : start(new RevocableCall<>(call), made, admit(call, made, service), headers, next);
        } catch (ProblemException refused) {
            StatusRuntimeException status = GrpcProblems.status(refused.problem());
            call.close(status.getStatus(), Objects.requireNonNullElseGet(status.getTrailers(), Metadata::new));
            return new ServerCall.Listener<>() {};
        }
    }

    private Caller admit(ServerCall<?, ?> call, Call made, String service) {
        Caller caller = gate.admit(made, roles(service));
        connections.admitted(peer(call));
        return caller;
    }

    private <Q, A> ServerCall.Listener<Q> start(
            RevocableCall<Q, A> call, Call made, Caller caller, Metadata headers, ServerCallHandler<Q, A> next) {
        Admitted admitted = new Admitted(call, made, caller);
        open.add(admitted);
        ServerCallHandler<Q, A> known =
                (heard, sent) -> Contexts.interceptCall(Context.current().withValue(CALLER, caller), heard, sent, next);
        ServerCall.Listener<Q> listener = start(call, headers, known, () -> open.remove(admitted));
        // The key may have gone before the call was in the set.
        checkAgain(admitted);
        return listener;
    }

    private static <Q, A> ServerCall.Listener<Q> start(
            RevocableCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next, Runnable whenOver) {
        ServerCall.Listener<Q> listener = call.heardBy(next.startCall(call, headers), whenOver);
        call.countedBy(InboundBytes.current());
        return listener;
    }

    /** Whether everybody may call it. */
    static boolean isOpen(String service) {
        return OPEN.contains(service);
    }

    /** A service that nobody thought of is for admins. */
    private static Role[] roles(String service) {
        return service.equals(EventHubGrpc.SERVICE_NAME) ? new Role[] {Role.PUBLISHER} : new Role[] {Role.ADMIN};
    }

    private static Call call(ServerCall<?, ?> call, Metadata headers) {
        return new Call(
                Call.key(headers.get(AUTHORIZATION), headers.get(API_KEY)),
                address(call),
                call.getAuthority(),
                null,
                headers.keys().stream().anyMatch(ProxySigns::isOne));
    }

    /** A caller without an address is in this process. */
    private static InetAddress address(ServerCall<?, ?> call) {
        return peer(call) instanceof InetSocketAddress socket && socket.getAddress() != null
                ? socket.getAddress()
                : InetAddress.getLoopbackAddress();
    }

    private static @Nullable SocketAddress peer(ServerCall<?, ?> call) {
        return call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    }
}
