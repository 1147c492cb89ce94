package dev.posthorn.benchmarks.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

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
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;

/** Receivers that misbehave, each kind at a port of its own and all on one thread, so that they cost others little CPU. */
final class BadReceivers implements AutoCloseable {

    /** What they do with a request. */
    enum Kind {
        /** Takes it and never answers. */
        HANGS,
        /** Answers by a byte every tenth of a second. */
        DRIPS,
        /** Answers with a body that never ends, of 6.4 MB a second. */
        FLOODS,
        /** Ends the connection. */
        RESETS,
        /** Never says a word where TLS is due. */
        NEVER_SHAKES_HANDS,
        /** Reads nothing at all. */
        NEVER_READS
    }

    private static final int TICK_MILLIS = 10;
    private static final int TICKS_PER_DRIP = 10;
    private static final byte[] HEAD = "HTTP/1.1 200 OK\r\nServer: bad\r\n\r\n".getBytes(US_ASCII);

    private final Map<Kind, ServerSocketChannel> servers = new EnumMap<>(Kind.class);
    private final Selector selector;
    private final ByteBuffer read = ByteBuffer.allocateDirect(1 << 16);
    private final ByteBuffer flood = ByteBuffer.allocateDirect(1 << 16);
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile boolean closing;
    private long ticks;

    BadReceivers() throws IOException {
        selector = Selector.open();
        for (Kind kind : Kind.values()) {
            ServerSocketChannel server = ServerSocketChannel.open();
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
            server.configureBlocking(false);
            server.register(selector, SelectionKey.OP_ACCEPT, kind);
            servers.put(kind, server);
        }
        Thread thread = new Thread(this::serve, "bench-bad-receivers");
        thread.setDaemon(true);
        thread.start();
    }

    String url(Kind kind) {
        String scheme = kind == Kind.NEVER_SHAKES_HANDS ? "https" : "http";
        return scheme + "://127.0.0.1:"
                + Objects.requireNonNull(servers.get(kind)).socket().getLocalPort() + "/";
    }

    private void serve() {
        try {
            long next = System.nanoTime();
            while (!closing) {
                selector.select(this::serve, TICK_MILLIS);
                if (System.nanoTime() - next >= 0) {
                    next = System.nanoTime() + TICK_MILLIS * 1_000_000L;
                    ticks++;
                    selector.keys().forEach(this::tick);
                }
            }
            selector.keys().forEach(BadReceivers::end);
            selector.close();
        } catch (IOException e) {
            throw new UncheckedIOException("The receivers cannot go on", e);
        } finally {
            closed.countDown();
        }
    }

    private void serve(SelectionKey key) {
        try {
            if (key.isAcceptable()) {
                accept(((ServerSocketChannel) key.channel()).accept(), (Kind) key.attachment());
            } else {
                read(key, (Connection) key.attachment());
            }
        } catch (IOException gone) {
            end(key);
        }
    }

    private void accept(SocketChannel channel, Kind kind) throws IOException {
        channel.configureBlocking(false);
        int interest = kind == Kind.NEVER_READS ? 0 : SelectionKey.OP_READ;
        channel.register(selector, interest, new Connection(kind, channel));
    }

    private void read(SelectionKey key, Connection connection) throws IOException {
        read.clear();
        if (connection.channel.read(read) < 0) {
            end(key);
        } else if (connection.kind == Kind.RESETS) {
            connection.channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            end(key);
        } else {
            connection.asked = true;
        }
    }

    private void tick(SelectionKey key) {
        if (key.isValid() && key.attachment() instanceof Connection connection && connection.asked) {
            try {
                say(connection);
            } catch (IOException gone) {
                end(key);
            }
        }
    }

    private void say(Connection connection) throws IOException {
        if (connection.kind == Kind.DRIPS && ticks % TICKS_PER_DRIP == 0) {
            byte next = HEAD[Math.min(connection.said++, HEAD.length - 3)];
            connection.channel.write(ByteBuffer.wrap(new byte[] {next}));
        } else if (connection.kind == Kind.FLOODS && connection.said < HEAD.length) {
            connection.said +=
                    connection.channel.write(ByteBuffer.wrap(HEAD, connection.said, HEAD.length - connection.said));
        } else if (connection.kind == Kind.FLOODS) {
            connection.channel.write(flood.clear());
        }
    }

    private static void end(SelectionKey key) {
        try {
            key.channel().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

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

    private static final class Connection {

        private final Kind kind;
        private final SocketChannel channel;
        private boolean asked;
        private int said;

        Connection(Kind kind, SocketChannel channel) {
            this.kind = kind;
            this.channel = channel;
        }
    }
}
