package dev.posthorn.server.grpc;

import dev.posthorn.server.problem.Problem;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A call that can be ended from outside, whoever serves it and whatever its client does not read: from then on nothing of
 * it is heard and nothing is said to it. gRPC's own calls are for one thread at a time, hence the locks.
 */
final class RevocableCall<Q, A> extends SimpleForwardingServerCall<Q, A> {

    private ServerCall.@Nullable Listener<Q> listener;
    private @Nullable InboundBytes bytes;
    private boolean closed;
    private boolean revoked;

    RevocableCall(ServerCall<Q, A> call) {
        super(call);
    }

    /** The listener as the transport may call it. */
    ServerCall.Listener<Q> heardBy(ServerCall.Listener<Q> serving, Runnable whenOver) {
        synchronized (this) {
            listener = serving;
        }
        return new Heard(serving, whenOver);
    }

    /** To be ended by this if it brings too much. */
    void countedBy(@Nullable InboundBytes counting) {
        synchronized (this) {
            bytes = counting;
        }
        if (counting != null) {
            counting.end(this);
        }
    }

    private synchronized @Nullable InboundBytes bytes() {
        return getMethodDescriptor().getType().clientSendsOneMessage() ? null : bytes;
    }

    /** Ends it with this. */
    void revoke(Problem reason) {
        StatusRuntimeException end = GrpcProblems.status(reason);
        ServerCall.Listener<Q> serving;
        synchronized (this) {
            if (revoked) {
                return;
            }
            close(end.getStatus(), Objects.requireNonNullElseGet(end.getTrailers(), Metadata::new));
            revoked = true;
            serving = listener;
        }
        if (serving != null) {
            serving.onCancel();
        }
    }

    private synchronized boolean isRevoked() {
        return revoked;
    }

    @Override
    public synchronized void sendHeaders(Metadata headers) {
        if (!closed) {
            super.sendHeaders(headers);
        }
    }

    @Override
    public synchronized void sendMessage(A message) {
        if (!closed) {
            super.sendMessage(message);
        }
    }

    @Override
    public synchronized void close(Status status, Metadata trailers) {
        if (!closed) {
            closed = true;
            super.close(status, trailers);
        }
    }

    private final class Heard extends SimpleForwardingServerCallListener<Q> {

        private final Runnable whenOver;

        Heard(ServerCall.Listener<Q> serving, Runnable whenOver) {
            super(serving);
            this.whenOver = whenOver;
        }

        @Override
        public void onMessage(Q message) {
            hear(message);
            InboundBytes counted = bytes();
            if (counted != null) {
                counted.served();
            }
        }

        private void hear(Q message) {
            if (isRevoked()) {
                return;
            }
            try {
                super.onMessage(message);
            } catch (StatusRuntimeException e) {
                // Of a call that was ended because of this very message nobody needs to know more.
                if (!isRevoked()) {
                    throw e;
                }
            }
        }

        @Override
        public void onHalfClose() {
            if (!isRevoked()) {
                super.onHalfClose();
            }
        }

        @Override
        public void onReady() {
            if (!isRevoked()) {
                super.onReady();
            }
        }

        @Override
        public void onCancel() {
            whenOver.run();
            if (!isRevoked()) {
                super.onCancel();
            }
        }

        @Override
        public void onComplete() {
            whenOver.run();
            if (!isRevoked()) {
                super.onComplete();
            }
        }
    }
}
