package dev.posthorn.server.grpc;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import io.grpc.BindableService;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.StatusRuntimeException;
import java.io.InputStream;

/** Refuses bytes that are no message of the protocol. gRPC itself would call that an unknown error of the server. */
final class ReadableOnly implements ServerInterceptor {

    private ReadableOnly() {}

    /** The service with messages that are read where this can see it fail. */
    static ServerServiceDefinition guard(BindableService service) {
        return ServerInterceptors.intercept(
                ServerInterceptors.useMarshalledMessages(service.bindService(), new AsItIs()), new ReadableOnly());
    }

    /** Hands bytes on without a buffer of its own, so that gRPC still knows their length and copies them once. */
    private static final class AsItIs implements MethodDescriptor.Marshaller<InputStream> {

        @Override
        public InputStream stream(InputStream bytes) {
            return bytes;
        }

        @Override
        public InputStream parse(InputStream bytes) {
            return bytes;
        }
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata metadata, ServerCallHandler<Q, A> next) {
        return new Guarded<>(call, next.startCall(call, metadata));
    }

    private static final class Guarded<Q> extends SimpleForwardingServerCallListener<Q> {

        private final ServerCall<Q, ?> call;
        private boolean refused;

        Guarded(ServerCall<Q, ?> call, ServerCall.Listener<Q> listener) {
            super(listener);
            this.call = call;
        }

        @Override
        public void onMessage(Q message) {
            if (refused) {
                return;
            }
            try {
                super.onMessage(message);
            } catch (StatusRuntimeException e) {
                if (!(e.getCause() instanceof InvalidProtocolBufferException cause)) {
                    throw e;
                }
                refuse(cause);
            }
        }

        private void refuse(InvalidProtocolBufferException cause) {
            refused = true;
            // Whoever serves the call must not answer it any more.
            super.onCancel();
            StatusRuntimeException end = Refusals.status(Problem.of(
                    ProblemType.INVALID_REQUEST,
                    "the message is not one of posthorn/v1/event_hub.proto: " + cause.getMessage()));
            Metadata trailers = end.getTrailers();
            call.close(end.getStatus(), trailers == null ? new Metadata() : trailers);
        }

        @Override
        public void onHalfClose() {
            if (!refused) {
                super.onHalfClose();
            }
        }
    }
}
