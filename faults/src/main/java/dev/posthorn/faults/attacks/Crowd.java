package dev.posthorn.faults.attacks;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Many connections that each say the beginning of a request, then a byte now and then, and are opened again as soon as the
 * hub closes them. One thread serves them all.
 */
final class Crowd {

    /** Opened in one go, so that those that are open get their bytes. */
    private static final int MOST_AT_ONCE = 500;

    private static final long ROUND_MILLIS = 50;

    private final Round round;
    private final int size;
    private final String beginning;
    private final Duration every;
    private final InetSocketAddress address;
    private final ByteBuffer heard = ByteBuffer.allocate(4096);
    private int open;

    /**
     * @param beginning what each says at first; empty for nothing at all, ever
     * @param every how often each says another byte
     */
    Crowd(Round round, int port, int size, String beginning, Duration every) {
        this.round = round;
        this.size = size;
        this.beginning = beginning;
        this.every = every;
        this.address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** One of them. */
    private final class Guest {

        private final SocketChannel channel;
        private long dueAt;
        private boolean answered;

        Guest(SocketChannel channel) {
            this.channel = channel;
        }

        void begin() throws IOException {
            round.got().count("connections opened");
            channel.write(ByteBuffer.wrap(beginning.getBytes(ISO_8859_1)));
            dueAt = System.nanoTime() + every.toNanos();
        }

        /** False when it has ended. */
        boolean listen() throws IOException {
            heard.clear();
            int length = channel.read(heard);
            if (length > 0 && !answered) {
                answered = true;
                List<String> words = List.of(new String(heard.array(), 0, length, ISO_8859_1).split(" ", 3));
                // The first words of HTTP/2 are none.
                if (words.get(0).startsWith("HTTP/1")) {
                    round.got().count("answers " + words.get(1));
                }
            }
            return length >= 0;
        }

        void sayMore() throws IOException {
            if (!beginning.isEmpty() && channel.isConnected() && System.nanoTime() - dueAt >= 0) {
                channel.write(ByteBuffer.wrap(new byte[] {'a'}));
                dueAt += every.toNanos();
            }
        }
    }

    void goOn() throws IOException {
        try (Selector selector = Selector.open()) {
            while (!round.isOver()) {
                openMissing(selector);
                selector.select(ROUND_MILLIS);
                selector.selectedKeys().forEach(key -> act(key, this::hear));
                selector.selectedKeys().clear();
                selector.keys().forEach(key -> act(key, this::say));
            }
            for (SelectionKey key : selector.keys()) {
                key.channel().close();
            }
        }
    }

    private void openMissing(Selector selector) throws IOException {
        for (int i = 0; i < MOST_AT_ONCE && open < size; i++) {
            SocketChannel channel = SocketChannel.open();
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_CONNECT, new Guest(channel));
            open++;
            try {
                channel.connect(address);
            } catch (IOException refused) {
                drop(channel, "connections refused");
                return;
            }
        }
    }

    private interface Act {
        void on(SelectionKey key, Guest guest) throws IOException;
    }

    private void act(SelectionKey key, Act act) {
        if (key.isValid() && key.attachment() instanceof Guest guest) {
            try {
                act.on(key, guest);
            } catch (IOException broken) {
                drop(guest.channel, "connections closed by the hub");
            }
        }
    }

    private void hear(SelectionKey key, Guest guest) throws IOException {
        if (key.isConnectable() && guest.channel.finishConnect()) {
            key.interestOps(SelectionKey.OP_READ);
            guest.begin();
        } else if (key.isReadable() && !guest.listen()) {
            drop(guest.channel, "connections closed by the hub");
        }
    }

    private void say(SelectionKey key, @Nullable Guest guest) throws IOException {
        if (guest != null) {
            guest.sayMore();
        }
    }

    private void drop(SocketChannel channel, String why) {
        round.got().count(why);
        open--;
        try {
            channel.close();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
