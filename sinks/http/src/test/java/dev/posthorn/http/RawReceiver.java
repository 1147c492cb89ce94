package dev.posthorn.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A receiver that does with each connection whatever it is told, be it HTTP or not. */
final class RawReceiver implements AutoCloseable {

    /** What is done with a connection. It is closed at the end. */
    interface Behaviour {
        void serve(Wire wire) throws IOException, InterruptedException;
    }

    /** By a name, so that the sink's threads can be told from those of other tests. */
    static final String HOST = "hostile.example";

    private final ServerSocket server;
    private final Behaviour behaviour;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger accepted = new AtomicInteger();
    private final AtomicInteger requests = new AtomicInteger();
    private final CountDownLatch closing = new CountDownLatch(1);

    private RawReceiver(InetAddress address, Behaviour behaviour) {
        try {
            this.server = new ServerSocket(0, 1000, address);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.behaviour = behaviour;
        threads.execute(this::accept);
    }

    static RawReceiver start(Behaviour behaviour) {
        return start(InetAddress.getLoopbackAddress(), behaviour);
    }

    static RawReceiver start(InetAddress address, Behaviour behaviour) {
        return new RawReceiver(address, behaviour);
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                int number = accepted.incrementAndGet();
                sockets.add(socket);
                threads.execute(() -> serve(socket, number));
            }
        } catch (IOException closed) {
            // That is how it ends.
        }
    }

    private void serve(Socket socket, int number) {
        try (socket) {
            behaviour.serve(new Wire(socket, number, closing, requests));
        } catch (IOException | InterruptedException e) {
            // The other side had enough, or the test is over.
        } finally {
            sockets.remove(socket);
        }
    }

    int port() {
        return server.getLocalPort();
    }

    String url(String scheme) {
        return scheme + "://" + HOST + ":" + port() + "/hook";
    }

    /** A sink that finds this receiver under its name. */
    HttpSink.Builder sink(String scheme) {
        return Sends.sink(url(scheme)).lookup(host -> new InetAddress[] {server.getInetAddress()});
    }

    /** How many connections there have been. */
    int accepted() {
        return accepted.get();
    }

    /** How many requests have come, whole or only their heads. */
    int requests() {
        return requests.get();
    }

    /** How many connections to this receiver are held open by a process. */
    long held() {
        return List.of("/proc/net/tcp", "/proc/net/tcp6").stream()
                .map(Path::of)
                .filter(Files::exists)
                .flatMap(table -> lines(table).stream())
                .filter(this::isHeldToHere)
                .count();
    }

    private static List<String> lines(Path table) {
        try {
            return Files.readAllLines(table, US_ASCII);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A socket that was closed may linger in the table, but belongs to no file any more. */
    private boolean isHeldToHere(String row) {
        String[] columns = row.strip().split("\\s+", -1);
        String port = String.format(Locale.ROOT, ":%04X", port());
        return columns[2].endsWith(port) && !columns[9].equals("0");
    }

    @Override
    public void close() {
        closing.countDown();
        try {
            server.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads.shutdownNow();
    }
}
