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
    private final Set<Admitted> open = ConcurrentHashMap.newKeySet();

    /** A call that was let in, and as whom. */
    private record Admitted(RevocableCall<?, ?> call, Call made, Caller caller) {}

    GrpcAccess(Gate gate) {
        this.gate = gate;
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
        if (OPEN.contains(service)) {
            return next.startCall(call, headers);
        }
        try {
            Call made = call(call, headers);
            return start(call, made, gate.admit(made, roles(service)), headers, next);
        } catch (ProblemException refused) {
            StatusRuntimeException status = Refusals.status(refused.problem());
            call.close(status.getStatus(), Objects.requireNonNullElseGet(status.getTrailers(), Metadata::new));
            return new ServerCall.Listener<>() {};
        }
    }

    private <Q, A> ServerCall.Listener<Q> start(
            ServerCall<Q, A> call, Call made, Caller caller, Metadata headers, ServerCallHandler<Q, A> next) {
        RevocableCall<Q, A> revocable = new RevocableCall<>(call);
        Admitted admitted = new Admitted(revocable, made, caller);
        open.add(admitted);
        Context context = Context.current().withValue(CALLER, caller);
        ServerCall.Listener<Q> listener = revocable.heardBy(
                Contexts.interceptCall(context, revocable, headers, next), () -> open.remove(admitted));
        // The key may have gone before the call was in the set.
        checkAgain(admitted);
        return listener;
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
        @Nullable Object remote = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
        return remote instanceof InetSocketAddress socket && socket.getAddress() != null
                ? socket.getAddress()
                : InetAddress.getLoopbackAddress();
    }
}
