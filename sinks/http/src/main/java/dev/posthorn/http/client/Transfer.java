package dev.posthorn.http.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.hc.client5.http.EndpointInfo;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.impl.DefaultConnectionKeepAliveStrategy;
import org.apache.hc.client5.http.nio.AsyncConnectionEndpoint;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.EndpointDetails;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.HttpStatus;
import org.apache.hc.core5.http.HttpStreamResetException;
import org.apache.hc.core5.http.HttpVersion;
import org.apache.hc.core5.http.Method;
import org.apache.hc.core5.http.ProtocolException;
import org.apache.hc.core5.http.impl.BasicEntityDetails;
import org.apache.hc.core5.http.message.BasicHttpRequest;
import org.apache.hc.core5.http.nio.AsyncClientExchangeHandler;
import org.apache.hc.core5.http.nio.CapacityChannel;
import org.apache.hc.core5.http.nio.DataStreamChannel;
import org.apache.hc.core5.http.nio.RequestChannel;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.TimeValue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request and its response, over one of the sink's connections. Whatever happens, its place in the pool is given back
 * once, and who waits is told once. It can be cut off at any time; while it connects that takes effect as soon as it is
 * connected, as the library lets go of a connection that then comes about all the same.
 */
public final class Transfer implements AsyncClientExchangeHandler {

    /** Who waits for it. Called on the threads that all sinks share. */
    public interface Listener {

        void completed(Response response);

        void failed(Exception error);
    }

    /**
     * What is to be sent.
     *
     * @param most how much of the response's body is kept
     * @param maySend asked once, last before it is sent
     */
    @SuppressWarnings("ArrayRecordComponent") // Nobody compares two.
    public record Request(HttpRoute route, BasicHttpRequest head, byte[] body, int most, BooleanSupplier maySend) {}

    private static final Logger log = LoggerFactory.getLogger(Transfer.class);
    private static final long UNKNOWN = -1;

    /** Unless the receiver says otherwise; the pool closes what is idle, and what is old. */
    private static final TimeValue KEPT = TimeValue.ofMinutes(3);

    private final ConnectionPool pool;
    private final Request request;
    private final ByteBuffer left;
    private final ResponseReader response;
    private final Listener listener;
    private final HttpClientContext context = HttpClientContext.create();
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicReference<@Nullable AsyncConnectionEndpoint> place = new AtomicReference<>();
    private boolean tunnelling;
    private boolean free = true;
    private final AtomicBoolean waiting = new AtomicBoolean();
    private TimeValue keep = KEPT;
    private volatile boolean connecting;
    private volatile boolean cut;
    private volatile boolean answered;
    private volatile boolean sent;
    private volatile boolean whole;
    private volatile long receivedBefore = UNKNOWN;

    private Transfer(ConnectionPool pool, Request request, Listener listener) {
        this.pool = pool;
        this.request = request;
        this.left = ByteBuffer.wrap(request.body());
        this.response = new ResponseReader(request.most());
        this.listener = listener;
        if (request.route().getProxyHost() != null && !request.route().isTunnelled()) {
            request.head().setAbsoluteRequestUri(true);
        }
    }

    /** Null if the sink has no channel any more: then nobody waits for it. */
    public static @Nullable Transfer of(Connections connections, Request request, Listener listener) {
        ConnectionPool pool = connections.pool();
        return pool == null ? null : new Transfer(pool, request, listener);
    }

    public void begin() {
        try {
            pool.lease(request.route(), new Step(this::leased));
        } catch (RuntimeException closed) {
            failed(new ConnectionClosedException("the sink was closed"));
        }
    }

    private void leased(AsyncConnectionEndpoint leased) {
        place.set(leased);
        if (cut) {
            failed(unwanted());
        } else if (leased.isConnected()) {
            send(leased);
        } else {
            connecting = true;
            pool.connect(leased, context, new Step(this::connected));
        }
    }

    private void connected(AsyncConnectionEndpoint connected) {
        connecting = false;
        if (cut) {
            failed(unwanted());
        } else if (request.route().isTunnelled()) {
            tunnelling = true;
            connected.execute("", this, null, context);
        } else {
            send(connected);
        }
    }

    private void send(AsyncConnectionEndpoint connected) {
        if (cut || !request.maySend().getAsBoolean()) {
            failed(unwanted());
        } else {
            connected.execute("", this, null, context);
        }
    }

    private static IOException unwanted() {
        return new InterruptedIOException("nobody waits for the answer any more");
    }

    @Override
    public void produceRequest(RequestChannel channel, HttpContext ignored) throws HttpException, IOException {
        if (tunnelling) {
            HttpHost target = request.route().getTargetHost();
            channel.sendRequest(new BasicHttpRequest(Method.CONNECT, target, target.toHostString()), null, context);
        } else {
            receivedBefore = received();
            sent = true;
            channel.sendRequest(request.head(), new BasicEntityDetails(request.body().length, null), context);
        }
    }

    @Override
    public int available() {
        return Integer.MAX_VALUE;
    }

    @Override
    public void produce(DataStreamChannel channel) throws IOException {
        if (left.hasRemaining() && !answered) {
            channel.write(left);
        }
        if (!left.hasRemaining() || answered) {
            whole = !left.hasRemaining();
            channel.endStream();
        }
    }

    @Override
    public void consumeInformation(HttpResponse information, HttpContext ignored) throws HttpException, IOException {
        requireWanted();
        if (information.getCode() == HttpStatus.SC_SWITCHING_PROTOCOLS) {
            throw new ProtocolException("the receiver switches to another protocol");
        }
    }

    @Override
    public void consumeResponse(HttpResponse head, @Nullable EntityDetails body, HttpContext ignored)
            throws HttpException, IOException {
        requireWanted();
        if (tunnelling && head.getCode() == HttpStatus.SC_OK) {
            tunnelled();
            return;
        }
        if (tunnelling && head.getCode() < HttpStatus.SC_REDIRECTION) {
            throw new HttpException("the proxy answers CONNECT with " + head.getCode());
        }
        response.begin(head, body);
        keep = DefaultConnectionKeepAliveStrategy.INSTANCE.getKeepAliveDuration(head, context);
        if (body == null) {
            finish();
        }
    }

    /** Ends a stream whose connection goes on: who sends for ever would go on for as long. */
    private void requireWanted() throws IOException {
        if (cut) {
            throw new HttpStreamResetException("nobody waits for the answer any more");
        }
    }

    private void tunnelled() {
        tunnelling = false;
        AsyncConnectionEndpoint through = place.get();
        if (through != null) {
            connecting = true;
            context.setProtocolVersion(null);
            pool.secure(through, context, new Step(this::secured));
        }
    }

    private void secured(AsyncConnectionEndpoint secured) {
        connecting = false;
        send(secured);
    }

    @Override
    public void updateCapacity(CapacityChannel channel) throws IOException {
        if (free) {
            free = false;
            channel.update(Surplus.FREE);
        } else if (waiting.compareAndSet(false, true)) {
            Surplus.SHARED.join(portion -> {
                waiting.set(false);
                channel.update(portion);
            });
        }
    }

    @Override
    public void consume(ByteBuffer source) throws IOException {
        requireWanted();
        response.read(source);
    }

    @Override
    public void streamEnd(@Nullable List<? extends Header> trailers) {
        finish();
    }

    /** The connection is free before anybody knows, so that the next request finds it. */
    private void finish() {
        answered = true;
        AsyncConnectionEndpoint used = place.getAndSet(null);
        if (used != null && (whole || isShared(used))) {
            pool.giveBack(used, keep);
        } else if (used != null) {
            // Answered early. The rest may never be read, and the connection would wait for that.
            pool.discard(used, CloseMode.IMMEDIATE);
        }
        if (over.compareAndSet(false, true)) {
            tell(() -> listener.completed(response.end()));
        }
    }

    private static boolean isShared(AsyncConnectionEndpoint used) {
        EndpointInfo info = used.getInfo();
        return info != null && info.getProtocol().greaterEquals(HttpVersion.HTTP_2);
    }

    @Override
    public void failed(Exception error) {
        discard();
        if (over.compareAndSet(false, true)) {
            tell(() -> listener.failed(error));
        }
    }

    /** An error that went on from here could end the thread, and with it what all others have under way. */
    private static void tell(Runnable what) {
        try {
            what.run();
        } catch (RuntimeException e) {
            log.error("Could not go on after a request", e);
        }
    }

    private void discard() {
        AsyncConnectionEndpoint used = place.getAndSet(null);
        if (used != null) {
            pool.discard(used, CloseMode.IMMEDIATE);
        }
    }

    @Override
    public void cancel() {
        failed(unwanted());
    }

    @Override
    public void releaseResources() {}

    /**
     * Ends it, at once or as soon as it is connected, and its connection with it. One that others share goes on, unless
     * nothing at all came over it since the request was sent, for this one or another: it leads nowhere, and all that
     * follows would go the same way; what others have under way there is sent again over another.
     */
    public void cut() {
        cut = true;
        AsyncConnectionEndpoint used = connecting ? null : place.getAndSet(null);
        if (used != null && isShared(used) && receivedBefore != received()) {
            pool.giveBack(used, keep);
        } else if (used != null) {
            pool.discard(used, CloseMode.IMMEDIATE);
        }
    }

    /** Whether there was a connection: the receiver may have the request, or part of it. */
    public boolean wasSent() {
        return sent;
    }

    /** Whether anything of the response has come. */
    public boolean isBeingAnswered() {
        return response.hasBegun();
    }

    /** Whether the connection has carried another request before. */
    public boolean usedAgain() {
        EndpointDetails endpoint = context.getEndpointDetails();
        return endpoint != null && endpoint.getRequestCount() > 1;
    }

    /** How many bytes have come over the connection. */
    private long received() {
        EndpointDetails endpoint = context.getEndpointDetails();
        return endpoint == null ? UNKNOWN : endpoint.getReceivedBytesCount();
    }

    /** What becomes of a step that takes its time. */
    private final class Step implements FutureCallback<AsyncConnectionEndpoint> {

        private final Consumer<AsyncConnectionEndpoint> next;

        Step(Consumer<AsyncConnectionEndpoint> next) {
            this.next = next;
        }

        @Override
        public void completed(AsyncConnectionEndpoint reached) {
            try {
                next.accept(reached);
            } catch (RuntimeException e) {
                // The connection was closed, or cut off, at this very moment.
                Transfer.this.failed(new ConnectionClosedException("the connection was closed on our side"));
            }
        }

        @Override
        public void failed(Exception error) {
            connecting = false;
            Transfer.this.failed(error);
        }

        @Override
        public void cancelled() {
            failed(unwanted());
        }
    }
}
