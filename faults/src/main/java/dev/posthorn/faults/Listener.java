package dev.posthorn.faults;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** A port that relays connect to; every connection has a thread of its own. */
public final class Listener implements AutoCloseable {

    /** What is done with a connection, to its end. */
    public interface Conversation {
        void with(Socket socket) throws IOException;
    }

    private final ServerSocket server;
    private final Conversation conversation;

    public Listener(Conversation conversation) throws IOException {
        this.conversation = conversation;
        this.server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        daemon(this::acceptAll).start();
    }

    static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "receiver");
        thread.setDaemon(true);
        return thread;
    }

    public int port() {
        return server.getLocalPort();
    }

    private void acceptAll() {
        try {
            while (true) {
                Socket socket = server.accept();
                daemon(() -> talk(socket)).start();
            }
        } catch (IOException closed) {
            // the run is over
        }
    }

    private void talk(Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            conversation.with(socket);
        } catch (IOException killed) {
            // as intended
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
