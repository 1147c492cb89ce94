package dev.posthorn.http.client;

import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLHandshakeException;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.nio.ssl.TlsStrategy;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.io.ModalCloseable;
import org.apache.hc.core5.net.NamedEndpoint;
import org.apache.hc.core5.reactor.ssl.TransportSecurityLayer;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * Ends TLS handshakes that take too long. The library's own limit begins anew with every byte: a receiver that sends one
 * now and then would keep the connection for ever, as nobody has it yet who could end it.
 */
final class HandshakeTimeout implements TlsStrategy {

    private final TlsStrategy tls;
    private final Duration longest;

    HandshakeTimeout(TlsStrategy tls, Duration longest) {
        this.tls = tls;
        this.longest = longest;
    }

    @Override
    public void upgrade(
            TransportSecurityLayer connection,
            NamedEndpoint endpoint,
            @Nullable Object attachment,
            @Nullable Timeout timeout,
            FutureCallback<TransportSecurityLayer> callback) {
        Handshake handshake = new Handshake(connection, callback);
        handshake.limit = Timer.after(longest.toNanos(), handshake::giveUp);
        tls.upgrade(connection, endpoint, attachment, timeout, handshake);
    }

    @Override
    @Deprecated
    public boolean upgrade(
            TransportSecurityLayer connection,
            HttpHost host,
            SocketAddress local,
            SocketAddress remote,
            @Nullable Object attachment,
            @Nullable Timeout timeout) {
        throw new UnsupportedOperationException("a handshake without a limit");
    }

    private final class Handshake implements FutureCallback<TransportSecurityLayer> {

        private final TransportSecurityLayer connection;
        private final FutureCallback<TransportSecurityLayer> callback;
        private final AtomicBoolean over = new AtomicBoolean();
        private volatile Timer.@Nullable Task limit;

        Handshake(TransportSecurityLayer connection, FutureCallback<TransportSecurityLayer> callback) {
            this.connection = connection;
            this.callback = callback;
        }

        /** Nobody is told when a connection is closed in the midst of it. */
        void giveUp() {
            if (over.compareAndSet(false, true)) {
                ((ModalCloseable) connection).close(CloseMode.IMMEDIATE);
                callback.failed(new SSLHandshakeException("no handshake within " + longest.toMillis() + " ms"));
            }
        }

        private boolean end() {
            Timer.Task timer = limit;
            if (timer != null) {
                timer.cancel();
            }
            return over.compareAndSet(false, true);
        }

        @Override
        public void completed(TransportSecurityLayer secured) {
            if (end()) {
                callback.completed(secured);
            }
        }

        @Override
        public void failed(Exception error) {
            if (end()) {
                callback.failed(error);
            }
        }

        @Override
        public void cancelled() {
            if (end()) {
                callback.cancelled();
            }
        }
    }
}
