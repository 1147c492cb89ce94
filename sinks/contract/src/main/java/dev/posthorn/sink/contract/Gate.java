package dev.posthorn.sink.contract;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A local port in front of a receiver's, which can be closed and made silent while the receiver itself knows nothing of
 * it. It keeps its port: what comes back is where it was. To be told what to do by one thread.
 */
public final class Gate implements AutoCloseable {

    /** Enough for a burst of callers: one that finds the queue full waits a second and may take that for an outage. */
    private static final int BACKLOG = 1_000;

    /**
     * Below the range from which the kernel gives ports to outgoing connections: one of that range could be taken by
     * somebody, even by the very client that knocks at it, while the gate is closed.
     */
    private static final int FIRST_PORT = 15_000;

    private static final int END_OF_PORTS = 32_000;
    private static final int TRIES = 200;
    private static final int CHUNK = 1 << 16;

    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
    private final Set<Socket> lost = ConcurrentHashMap.newKeySet();
    private final int port;
    private volatile int target;
    private volatile boolean silent;
    private ServerSocket server;
    private Thread acceptor;

    private Gate(ServerSocket server) {
        this.server = server;
        this.port = server.getLocalPort();
        this.acceptor = start("posthorn-gate-" + port, () -> accept(server));
    }

    /** An open gate that leads nowhere yet: whoever comes is sent away. */
    public static Gate open() {
        IOException last = new IOException("not tried");
        for (int i = 0; i < TRIES; i++) {
            try {
                return new Gate(listen(ThreadLocalRandom.current().nextInt(FIRST_PORT, END_OF_PORTS)));
            } catch (IOException taken) {
                last = taken;
            }
        }
        throw new UncheckedIOException("Found no free port for a gate in " + TRIES + " tries", last);
    }

    /** Where connections go on to: a port of this machine. */
    public void leadTo(int receiversPort) {
        target = receiversPort;
    }

    /** Where the sink has to go. */
    public int port() {
        return port;
    }

    /** Nobody listens any more; connections are cut. */
    public void leave() {
        closeQuietly(server);
        awaitEnd(acceptor);
        cut();
    }

    /** A port that a thread waits at goes on listening, for a moment after it was closed. */
    private static void awaitEnd(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Connections are taken, but not a byte passes any more; what comes is lost. */
    public void fallSilent() {
        silent = true;
    }

    /** Nothing passes any more over the connections that there are, and nobody is told; new ones are as ever. */
    public void loseConnections() {
        lost.addAll(connections);
    }

    private boolean isSilent(Socket socket) {
        return silent || lost.contains(socket);
    }

    /** Open again. Connections from before are cut, also those that nobody had got round to taking. */
    public void comeBack() {
        leave();
        silent = false;
        try {
            ServerSocket again = listen(port);
            server = again;
            acceptor = start("posthorn-gate-" + port, () -> accept(again));
        } catch (IOException e) {
            throw new UncheckedIOException("Could not open the gate at port " + port + " again", e);
        }
    }

    @Override
    public void close() {
        leave();
    }

    private static ServerSocket listen(int port) throws IOException {
        ServerSocket server = new ServerSocket();
        try {
            server.setReuseAddress(true);
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), BACKLOG);
            return server;
        } catch (IOException e) {
            server.close();
            throw e;
        }
    }

    private void accept(ServerSocket listening) {
        try {
            while (true) {
                admit(listening.accept());
            }
        } catch (IOException closed) {
            // The gate was closed; when it opens again, another thread stands here.
            return;
        }
    }

    private void admit(Socket client) {
        connections.add(client);
        if (!silent) {
            connect(client);
        }
    }

    private void connect(Socket client) {
        Socket receiver = new Socket();
        connections.add(receiver);
        try {
            receiver.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target));
            receiver.setTcpNoDelay(true);
            client.setTcpNoDelay(true);
            start("posthorn-gate-in", () -> pass(client, receiver));
            start("posthorn-gate-out", () -> pass(receiver, client));
        } catch (IOException nobodyThere) {
            drop(client);
            drop(receiver);
        }
    }

    /** In silence both ends stay open, unread, until the gate cuts them. */
    private void pass(Socket from, Socket to) {
        byte[] chunk = new byte[CHUNK];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(chunk); read >= 0 && !isSilent(from); read = in.read(chunk)) {
                out.write(chunk, 0, read);
            }
        } catch (IOException broken) {
            drop(from);
        }
        if (!isSilent(from)) {
            drop(from);
            drop(to);
        }
    }

    private void cut() {
        connections.forEach(this::drop);
    }

    private void drop(Socket socket) {
        connections.remove(socket);
        lost.remove(socket);
        closeQuietly(socket);
    }

    private static void closeQuietly(AutoCloseable closed) {
        try {
            closed.close();
        } catch (Exception e) {
            // It is gone either way.
            return;
        }
    }

    private static Thread start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
