package dev.posthorn.http.receiver;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.posthorn.testkit.Listener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A receiver that does with each connection whatever it is told, be it HTTP or not. */
public final class RawReceiver implements AutoCloseable {

    /** What is done with a connection. It is closed at the end. */
    public interface Behaviour {
        void serve(Wire wire) throws IOException, InterruptedException;
    }

    /** By a name, so that the sink's threads can be told from those of other tests. */
    public static final String HOST = "hostile.example";

    private final Listener listener;
    private final AtomicInteger accepted = new AtomicInteger();
    private final AtomicInteger requests = new AtomicInteger();
    private final CountDownLatch closing = new CountDownLatch(1);

    private RawReceiver(InetAddress address, Behaviour behaviour) {
        listener = Listener.start(
                new InetSocketAddress(address, 0),
                socket -> behaviour.serve(new Wire(socket, accepted.incrementAndGet(), closing, requests)));
    }

    public static RawReceiver start(Behaviour behaviour) {
        return start(InetAddress.getLoopbackAddress(), behaviour);
    }

    public static RawReceiver start(InetAddress address, Behaviour behaviour) {
        return new RawReceiver(address, behaviour);
    }

    public int port() {
        return listener.port();
    }

    public String url(String scheme) {
        return scheme + "://" + HOST + ":" + port() + "/hook";
    }

    public InetAddress address() {
        return listener.address();
    }

    /** How many connections there have been. */
    public int accepted() {
        return accepted.get();
    }

    /** How many requests have come, whole or only their heads. */
    public int requests() {
        return requests.get();
    }

    /** How many connections to this receiver are held open by a process. */
    public long held() {
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
        listener.close();
    }
}
