package dev.posthorn.benchmarks.relay;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A receiver that answers every request, however many are under way, a fixed time after it came. A request is a number
 * and the answer is the same number.
 */
final class SlowReceiver implements AutoCloseable {

    private final long delayNanos;
    private final ServerSocket server;
    private final List<Conversation> conversations = new CopyOnWriteArrayList<>();

    SlowReceiver(long delayNanos) throws IOException {
        this.delayNanos = delayNanos;
        this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon("receiver-accept", this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    /** How many requests each client has had answered so far. */
    List<Long> answered() {
        return conversations.stream()
                .map(conversation -> conversation.answered.get())
                .toList();
    }

    /** Forgets the clients of the last run, which are gone. */
    void reset() throws IOException {
        for (Conversation conversation : conversations) {
            conversation.socket.close();
        }
        conversations.clear();
    }

    @Override
    public void close() throws IOException {
        server.close();
        reset();
    }

    private void accept() throws IOException {
        while (true) {
            Socket socket = server.accept();
            socket.setTcpNoDelay(true);
            Conversation conversation = new Conversation(socket);
            conversations.add(conversation);
            daemon("receiver-read", conversation::read);
            daemon("receiver-answer", conversation::answer);
        }
    }

    private record Request(long id, long due) {}

    private final class Conversation {
        private final Socket socket;
        private final BlockingQueue<Request> waiting = new LinkedBlockingQueue<>();
        private final AtomicLong answered = new AtomicLong();

        Conversation(Socket socket) {
            this.socket = socket;
        }

        private void read() throws IOException {
            DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            while (true) {
                waiting.add(new Request(in.readLong(), System.nanoTime() + delayNanos));
            }
        }

        /** The same delay for all means that they are due in the order in which they came. */
        private void answer() throws IOException, InterruptedException {
            DataOutputStream out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
            for (Request next = waiting.take(); ; next = take(out)) {
                awaitDue(next, out);
                out.writeLong(next.id);
                answered.incrementAndGet();
            }
        }

        private Request take(DataOutputStream out) throws IOException, InterruptedException {
            Request next = waiting.poll();
            if (next == null) {
                out.flush();
                next = waiting.take();
            }
            return next;
        }

        private static void awaitDue(Request request, DataOutputStream out) throws IOException {
            if (request.due - System.nanoTime() > 0) {
                out.flush();
            }
            for (long left = request.due - System.nanoTime(); left > 0; left = request.due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
        }
    }

    private interface Loop {
        void run() throws IOException, InterruptedException;
    }

    private static void daemon(String name, Loop loop) {
        Thread thread = new Thread(() -> runUntilClosed(loop), name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void runUntilClosed(Loop loop) {
        try {
            loop.run();
        } catch (IOException closed) {
            // The other side or the benchmark has ended; so does this thread.
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
