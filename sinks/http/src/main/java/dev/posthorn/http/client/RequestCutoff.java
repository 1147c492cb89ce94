package dev.posthorn.http.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.apache.hc.client5.http.EndpointInfo;
import org.apache.hc.client5.http.async.AsyncExecCallback;
import org.apache.hc.client5.http.async.AsyncExecChain;
import org.apache.hc.client5.http.async.AsyncExecRuntime;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpVersion;
import org.apache.hc.core5.http.ProtocolVersion;
import org.apache.hc.core5.http.nio.AsyncEntityProducer;
import org.jspecify.annotations.Nullable;

/**
 * Ends a request for certain. What the client does itself when a request's future is cancelled is not enough: it does
 * nothing once it has the head of a response of 400 or more, it may take the cancelling for that of an earlier step,
 * and while it connects it lets go of a connection that then comes about all the same. In each of these cases a
 * receiver that keeps sending would keep the connection for ever.
 */
public final class RequestCutoff {

    private static final String NAME = "posthorn.request-cutoff";

    private final BooleanSupplier maySend;
    private volatile @Nullable AsyncExecRuntime held;
    private volatile boolean cut;

    private RequestCutoff(BooleanSupplier maySend) {
        this.maySend = maySend;
    }

    /** For the request that is sent with this context. */
    public static RequestCutoff of(HttpClientContext context) {
        return of(context, () -> true);
    }

    /** The same, for a request that is asked once more when it is about to be sent. */
    public static RequestCutoff of(HttpClientContext context, BooleanSupplier maySend) {
        RequestCutoff cutoff = new RequestCutoff(maySend);
        context.setAttribute(NAME, cutoff);
        return cutoff;
    }

    /** A step of the client, when there is a connection and the request is about to be sent. */
    static void hold(
            HttpRequest request,
            AsyncEntityProducer body,
            AsyncExecChain.Scope scope,
            AsyncExecChain chain,
            AsyncExecCallback callback)
            throws HttpException, IOException {
        if (scope.clientContext.getAttribute(NAME) instanceof RequestCutoff cutoff) {
            cutoff.held = scope.execRuntime;
            if (cutoff.cut || !cutoff.maySend.getAsBoolean()) {
                scope.execRuntime.discardEndpoint();
                callback.failed(new InterruptedIOException("nobody waits for the answer any more"));
                return;
            }
        }
        chain.proceed(request, body, scope, callback);
    }

    /** Ends the connection, or only the future of a request that shares it; at once, or as soon as it is connected. */
    public void cut(@Nullable Future<?> future) {
        cut = true;
        AsyncExecRuntime runtime = held;
        if (runtime == null) {
            return;
        }
        if (!isShared(runtime)) {
            runtime.discardEndpoint();
        } else if (future != null) {
            future.cancel(true);
        }
    }

    /** Ends the connection, also one that others share: it carries nothing any more. */
    public void cutConnection() {
        cut = true;
        AsyncExecRuntime runtime = held;
        if (runtime != null) {
            runtime.discardEndpoint();
        }
    }

    private static boolean isShared(AsyncExecRuntime runtime) {
        EndpointInfo endpoint = runtime.getEndpointInfo();
        ProtocolVersion version = endpoint == null ? null : endpoint.getProtocol();
        return version != null && version.greaterEquals(HttpVersion.HTTP_2);
    }
}
