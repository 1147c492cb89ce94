package dev.posthorn.server.grpc;

import dev.posthorn.server.ingest.TraceContext;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import org.jspecify.annotations.Nullable;

/** Keeps a call's trace context, which its metadata brought, for those who serve it. */
final class CallTrace implements ServerInterceptor {

    private static final Context.Key<TraceContext> TRACE = Context.keyWithDefault("trace", TraceContext.NONE);

    private static final Metadata.Key<String> TRACEPARENT =
            Metadata.Key.of(TraceContext.TRACEPARENT, Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> TRACESTATE =
            Metadata.Key.of(TraceContext.TRACESTATE, Metadata.ASCII_STRING_MARSHALLER);

    /** Of the call that this thread serves. */
    static TraceContext current() {
        return TRACE.get();
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata metadata, ServerCallHandler<Q, A> next) {
        TraceContext trace = TraceContext.of(metadata.get(TRACEPARENT), state(metadata));
        return Contexts.interceptCall(Context.current().withValue(TRACE, trace), call, metadata, next);
    }

    /** A long one may come in several pieces. */
    private static @Nullable String state(Metadata metadata) {
        Iterable<String> pieces = metadata.getAll(TRACESTATE);
        return pieces == null ? null : String.join(",", pieces);
    }
}
