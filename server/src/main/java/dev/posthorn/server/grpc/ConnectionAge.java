package dev.posthorn.server.grpc;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.posthorn.server.problem.Problem;
import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerTransportFilter;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Tells streams when their connection will be closed for its age, so that they end in good order before. */
final class ConnectionAge extends ServerTransportFilter implements ServerInterceptor {

    /** gRPC closes connections up to a tenth early. */
    private static final double EARLY = 0.85;

    private static final Duration SOON = Duration.ofSeconds(1);
    private static final Attributes.Key<Deadline> ATTRIBUTE = Attributes.Key.create("posthorn-connection-end");
    private static final Context.Key<Deadline> CONTEXT = Context.key("connection-end");

    private final long nanos;

    ConnectionAge(Duration most) {
        this.nanos = (long) (most.toNanos() * EARLY);
    }

    /** When the streams of the connection on which this thread serves a call have to end; null: never. */
    static @Nullable Deadline end() {
        return CONTEXT.get();
    }

    /** How a stream ends that is open for so long. */
    static Problem reached() {
        return Problem.unavailable(
                "the connection is as old as it may get (posthorn.grpc.connection-age); connect again and send what was"
                        + " not acknowledged once more",
                SOON);
    }

    @Override
    public Attributes transportReady(Attributes transport) {
        return transport.toBuilder()
                .set(ATTRIBUTE, Deadline.after(nanos, NANOSECONDS))
                .build();
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata metadata, ServerCallHandler<Q, A> next) {
        Context context =
                Context.current().withValue(CONTEXT, call.getAttributes().get(ATTRIBUTE));
        return Contexts.interceptCall(context, call, metadata, next);
    }
}
