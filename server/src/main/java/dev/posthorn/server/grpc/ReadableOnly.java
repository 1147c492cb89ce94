package dev.posthorn.server.grpc;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import io.grpc.BindableService;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Refuses bytes that are no message of the protocol, which gRPC itself would call an unknown error of the server, and
 * messages that would take many times their length in memory.
 */
final class ReadableOnly implements ServerInterceptor {

    private final int mostFields;
    private final Consumer<Problem> told;

    private ReadableOnly(int mostFields, Consumer<Problem> told) {
        this.mostFields = mostFields;
        this.told = told;
    }

    /**
     * The service with messages that are read where this can see it fail.
     *
     * @param told of each message that is refused
     */
    static ServerServiceDefinition guard(BindableService service, int mostFields, Consumer<Problem> told) {
        return ServerInterceptors.intercept(
                ServerInterceptors.useMarshalledMessages(service.bindService(), new AsItIs()),
                new ReadableOnly(mostFields, told));
    }

    /**
     * Hands bytes on so that they can be looked at before they are read, and but for packed ones without a buffer of its
     * own, so that gRPC still knows their length and copies them once.
     */
    private static final class AsItIs implements Marshaller<InputStream> {

        @Override
        public InputStream stream(InputStream bytes) {
            return bytes;
        }

        @Override
        public InputStream parse(InputStream bytes) {
            return bytes.markSupported() ? bytes : new BufferedInputStream(bytes);
        }
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata metadata, ServerCallHandler<Q, A> next) {
        return new Guarded<>(call, next.startCall(call, metadata));
    }

    private final class Guarded<Q> extends SimpleForwardingServerCallListener<Q> {

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
                if (hasTooManyFields((InputStream) message)) {
                    refuse(
                            ProblemType.TOO_LARGE,
                            "a message has at most " + mostFields + " fields; send fewer events at a time");
                } else {
                    super.onMessage(message);
                }
            } catch (IOException e) {
                refuseAsUnreadable(e);
            } catch (StatusRuntimeException e) {
                if (!(e.getCause() instanceof InvalidProtocolBufferException cause)) {
                    throw e;
                }
                refuseAsUnreadable(cause);
            }
        }

        private boolean hasTooManyFields(InputStream message) throws IOException {
            return FieldCount.exceeds(mostFields, message, method().getInputType());
        }

        private MethodDescriptor method() {
            return ((ProtoMethodDescriptorSupplier)
                            Objects.requireNonNull(call.getMethodDescriptor().getSchemaDescriptor()))
                    .getMethodDescriptor();
        }

        private void refuseAsUnreadable(IOException cause) {
            refuse(
                    ProblemType.INVALID_REQUEST,
                    "the message is not one of " + method().getFile().getName() + ": " + cause.getMessage());
        }

        private void refuse(ProblemType type, String detail) {
            refused = true;
            // Whoever serves the call must not answer it any more.
            super.onCancel();
            Problem problem = Problem.of(type, detail);
            told.accept(problem);
            StatusRuntimeException end = GrpcProblems.status(problem);
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
