package dev.posthorn.http.client;

import java.net.SocketAddress;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Future;
import org.apache.hc.core5.concurrent.BasicFuture;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.net.NamedEndpoint;
import org.apache.hc.core5.reactor.ConnectionInitiator;
import org.apache.hc.core5.reactor.IOSession;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * All that one sink has open or is opening. The library's pool knows a connection only when hands are shaken; on a
 * reactor that goes on for others, whatever was on its way when the sink was closed would stay.
 */
final class Sessions implements ConnectionInitiator {

    private final Reactor reactor;
    private final Set<Opening> opening = new HashSet<>();
    private final Set<IOSession> open = new HashSet<>();
    private boolean closed;

    Sessions(Reactor reactor) {
        this.reactor = reactor;
    }

    @Override
    public Future<IOSession> connect(
            NamedEndpoint endpoint,
            @Nullable SocketAddress remote,
            @Nullable SocketAddress local,
            @Nullable Timeout timeout,
            @Nullable Object attachment,
            FutureCallback<IOSession> callback) {
        Opening one = new Opening(callback);
        if (!begin(one)) {
            BasicFuture<IOSession> never = new BasicFuture<>(callback);
            never.cancel();
            return never;
        }
        Future<IOSession> begun = reactor.initiator().connect(endpoint, remote, local, timeout, attachment, one);
        if (!one.isWanted(begun)) {
            begun.cancel(true);
        }
        return begun;
    }

    private synchronized boolean begin(Opening one) {
        return !closed && opening.add(one);
    }

    private synchronized boolean keep(IOSession session) {
        open.removeIf(each -> !each.isOpen());
        return !closed && open.add(session);
    }

    /** Whether there is no connection, and none is being made. */
    synchronized boolean isEmpty() {
        open.removeIf(each -> !each.isOpen());
        return open.isEmpty() && opening.isEmpty();
    }

    /** Without waiting for anybody. */
    void close() {
        Set<Opening> begun;
        Set<IOSession> left;
        synchronized (this) {
            closed = true;
            begun = Set.copyOf(opening);
            left = Set.copyOf(open);
        }
        begun.forEach(Opening::cancel);
        left.forEach(each -> each.close(CloseMode.IMMEDIATE));
    }

    /** A connection that is being made. */
    private final class Opening implements FutureCallback<IOSession> {

        private final FutureCallback<IOSession> callback;
        private @Nullable Future<IOSession> future;

        Opening(FutureCallback<IOSession> callback) {
            this.callback = callback;
        }

        boolean isWanted(Future<IOSession> begun) {
            synchronized (Sessions.this) {
                future = begun;
                return !closed;
            }
        }

        void cancel() {
            Future<IOSession> begun;
            synchronized (Sessions.this) {
                begun = future;
            }
            if (begun != null) {
                begun.cancel(true);
            }
        }

        private void forget() {
            synchronized (Sessions.this) {
                opening.remove(this);
            }
        }

        @Override
        public void completed(IOSession session) {
            forget();
            if (keep(session)) {
                callback.completed(session);
            } else {
                session.close(CloseMode.IMMEDIATE);
                callback.failed(new ConnectionClosedException("the sink was closed"));
            }
        }

        @Override
        public void failed(Exception error) {
            forget();
            callback.failed(error);
        }

        @Override
        public void cancelled() {
            forget();
            callback.cancelled();
        }
    }
}
