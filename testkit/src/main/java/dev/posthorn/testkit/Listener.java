package dev.posthorn.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A port that takes connections, each with a thread of its own. When it closes, so do they. */
public final class Listener implements AutoCloseable {

    /** Enough for a burst of callers: one that finds the queue full waits a second. */
    private static final int BACKLOG = 1_000;

    /** What is done with a connection. It is closed at the end. */
    public interface Conversation {
        void hold(Socket socket) throws IOException, InterruptedException;
    }

    private final ServerSocket server;
    private final Conversation conversation;
    private final Map<Thread, Socket> held = new HashMap<>();
    private final AtomicReference<@Nullable Throwable> fault = new AtomicReference<>();
    private boolean closed;

    private Listener(ServerSocket server, Conversation conversation) {
        this.server = server;
        this.conversation = conversation;
        daemon(this::accept).start();
    }

    /** At any port of this machine that is free. */
    public static Listener start(Conversation conversation) {
        return start(0, conversation);
    }

    public static Listener start(int port, Conversation conversation) {
        return start(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), conversation);
    }

    public static Listener start(InetSocketAddress address, Conversation conversation) {
        try {
            return start(new ServerSocket(), address, conversation);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** By a socket that is not bound yet. */
    static Listener start(ServerSocket server, InetSocketAddress address, Conversation conversation) {
        try {
            server.bind(address, BACKLOG);
            return new Listener(server, conversation);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "test-listener");
        thread.setDaemon(true);
        return thread;
    }

    private void accept() {
        try {
            while (true) {
                take(server.accept());
            }
        } catch (IOException closing) {
            // That is how it ends.
            return;
        }
    }

    /** A connection that arrives while this closes is closed too: nobody would serve it any more. */
    private synchronized void take(Socket socket) throws IOException {
        if (closed) {
            socket.close();
            return;
        }
        Thread thread = daemon(() -> serve(socket));
        held.put(thread, socket);
        thread.start();
    }

    private void serve(Socket socket) {
        try (socket) {
            hold(socket);
        } catch (IOException | UncheckedIOException | InterruptedException over) {
            // The other side had enough, or the test is over.
            return;
        } finally {
            forget();
        }
    }

    /** A fault is known before the connection is closed: the other side may close this as soon as it sees that. */
    private void hold(Socket socket) throws IOException, InterruptedException {
        try {
            socket.setTcpNoDelay(true);
            conversation.hold(socket);
        } catch (UncheckedIOException over) {
            throw over;
        } catch (RuntimeException | Error unexpected) {
            remember(unexpected);
        }
    }

    /** Whoever is interrupted because this closes may say so by any exception, sooner or later. */
    private synchronized void remember(Throwable unexpected) {
        if (!closed) {
            fault.compareAndSet(null, unexpected);
        }
    }

    private synchronized void forget() {
        held.remove(Thread.currentThread());
    }

    public int port() {
        return server.getLocalPort();
    }

    public InetAddress address() {
        return server.getInetAddress();
    }

    /** Tells of a conversation that failed, by an assertion or a request that it could not read: nobody else would. */
    @Override
    public void close() {
        end();
        Throwable unexpected = fault.get();
        if (unexpected != null) {
            throw new IllegalStateException("a connection was not served to its end", unexpected);
        }
    }

    private synchronized void end() {
        closed = true;
        try {
            server.close();
            for (Map.Entry<Thread, Socket> each : held.entrySet()) {
                each.getValue().close();
                each.getKey().interrupt();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
