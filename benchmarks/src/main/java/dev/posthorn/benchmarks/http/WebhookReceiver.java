package dev.posthorn.benchmarks.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.posthorn.benchmarks.testbed.ChildProgram;
import dev.posthorn.http.Destinations;
import dev.posthorn.http.HttpSink;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP server that does as little as possible: one thread, requests with Content-Length alone, and always the same
 * answer, 204, on a connection that stays open. What a request costs here is taken from the two sides that are compared.
 */
public final class WebhookReceiver implements AutoCloseable {

    /** Decides when a request is answered. */
    public interface Handler {

        /** After how many nanoseconds; 0 means at once. All that are not 0 have to be the same. */
        long received(WebhookRequest request);
    }

    private static final byte[] ANSWER = "HTTP/1.1 204 No Content\r\n\r\n".getBytes(US_ASCII);

    private static final int LARGEST_REQUEST = 16 << 10;

    /** Twenty subscriptions connect 64 times each, all at once; whoever found no room would try again after seconds. */
    private static final int MOST_WAITING = 4096;

    private record Late(SocketChannel connection, long due) {}

    private final Handler handler;
    private final Selector selector;
    private final List<ServerSocketChannel> servers = new ArrayList<>();
    private final ByteBuffer answer = ByteBuffer.allocateDirect(ANSWER.length).put(ANSWER);
    private final Queue<Late> late = new ArrayDeque<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile boolean closing;

    private WebhookReceiver(Handler handler, int ports) throws IOException {
        this.handler = handler;
        this.selector = Selector.open();
        for (int i = 0; i < ports; i++) {
            ServerSocketChannel server = ServerSocketChannel.open();
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), MOST_WAITING);
            server.configureBlocking(false);
            server.register(selector, SelectionKey.OP_ACCEPT, server);
            servers.add(server);
        }
    }

    /** The program of a process of its own, which answers everything at once. */
    public static void main(String[] args) throws IOException {
        WebhookReceiver receiver = new WebhookReceiver(request -> 0, 1);
        System.out.println("ready " + receiver.port());
        receiver.serve();
    }

    /** Starts it in a process of its own, which tells its port by a line that begins with {@code ready}. */
    public static ChildProgram startProcess() throws IOException {
        return ChildProgram.start(WebhookReceiver.class, List.of("-Xmx64m", "-XX:+UseSerialGC"), Map.of(), List.of());
    }

    /** A sink of ours that delivers to such a receiver on this machine. */
    public static HttpSink.Builder sink(int port, String path) {
        return HttpSink.builder("http://127.0.0.1:" + port + path)
                .destinations(Destinations.builder().allowLoopback().build())
                .signedWith(HttpSink.newSecret());
    }

    /** Starts it on a thread of this process. */
    public static WebhookReceiver start(Handler handler) throws IOException {
        return start(handler, 1);
    }

    /** The same at several ports: a client has some 28,000 connections to each at most. */
    public static WebhookReceiver start(Handler handler, int ports) throws IOException {
        WebhookReceiver receiver = new WebhookReceiver(handler, ports);
        Thread thread = new Thread(receiver::serve, "bench-receiver");
        thread.setDaemon(true);
        thread.start();
        return receiver;
    }

    public int port() {
        return ports().get(0);
    }

    public List<Integer> ports() {
        return servers.stream().map(server -> server.socket().getLocalPort()).toList();
    }

    private void serve() {
        try {
            while (!closing) {
                selector.select(this::serve, untilNextLate());
                answerLate();
            }
            selector.keys().forEach(WebhookReceiver::close);
            selector.close();
        } catch (IOException e) {
            throw new UncheckedIOException("The receiver cannot go on", e);
        } finally {
            closed.countDown();
        }
    }

    private long untilNextLate() {
        Late next = late.peek();
        return next == null ? 0 : Math.max(1, TimeUnit.NANOSECONDS.toMillis(next.due - System.nanoTime()));
    }

    private void answerLate() {
        for (Late next = late.peek(); next != null && next.due - System.nanoTime() <= 0; next = late.peek()) {
            late.remove();
            answerLate(next.connection);
        }
    }

    private void answerLate(SocketChannel connection) {
        try {
            answer(connection);
        } catch (IOException gone) {
            // The client had no more patience.
            return;
        }
    }

    private void serve(SelectionKey key) {
        try {
            if (key.isAcceptable()) {
                accept((ServerSocketChannel) key.attachment());
            } else {
                read((SocketChannel) key.channel(), (ByteBuffer) key.attachment());
            }
        } catch (IOException gone) {
            close(key);
        }
    }

    private void accept(ServerSocketChannel server) throws IOException {
        SocketChannel connection = accepted(server);
        if (connection != null) {
            connection.configureBlocking(false);
            connection.setOption(StandardSocketOptions.TCP_NODELAY, true);
            connection.register(selector, SelectionKey.OP_READ, ByteBuffer.allocate(LARGEST_REQUEST));
        }
    }

    /** Null also while this process may have no more of them: then the client waits. */
    private static @Nullable SocketChannel accepted(ServerSocketChannel server) {
        try {
            return server.accept();
        } catch (IOException tooMany) {
            return null;
        }
    }

    private void read(SocketChannel connection, ByteBuffer received) throws IOException {
        if (connection.read(received) < 0) {
            throw new IOException("closed by the client");
        }
        received.flip();
        for (WebhookRequest next = WebhookRequest.read(received); next != null; next = WebhookRequest.read(received)) {
            long delay = handler.received(next);
            if (delay == 0) {
                answer(connection);
            } else {
                late.add(new Late(connection, System.nanoTime() + delay));
            }
        }
        received.compact();
        if (!received.hasRemaining()) {
            throw new IOException("a request of more than " + LARGEST_REQUEST + " bytes");
        }
    }

    /** Nobody sends a second request before the answer to the first, so that there is always room for so few bytes. */
    private void answer(SocketChannel connection) throws IOException {
        answer.clear();
        if (connection.write(answer) < ANSWER.length) {
            throw new IOException("the client does not read its answers");
        }
    }

    /** Breaks off everything that is under way. */
    @Override
    public void close() {
        closing = true;
        selector.wakeup();
        try {
            closed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void close(SelectionKey key) {
        try {
            key.channel().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
