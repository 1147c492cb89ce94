package dev.posthorn.server.web;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/** Many connections that each say the beginning of a request, and then a byte of its body now and then. */
final class Trickle implements AutoCloseable {

    private static final long PAUSE_MILLIS = 200;

    private final List<Line> lines = new ArrayList<>();
    private final Thread thread = new Thread(this::goOn, "trickle");
    private volatile boolean closed;

    Trickle(int port, int connections, String beginning) throws IOException {
        for (int i = 0; i < connections; i++) {
            lines.add(new Line(port, beginning));
        }
        thread.setDaemon(true);
        thread.start();
    }

    private static final class Line {

        private final SocketChannel channel;
        private final StringBuilder answer = new StringBuilder();
        private boolean ended;

        Line(int port, String beginning) throws IOException {
            channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            channel.write(ByteBuffer.wrap(beginning.getBytes(ISO_8859_1)));
            channel.configureBlocking(false);
        }

        synchronized void oneByteMore() {
            if (ended) {
                return;
            }
            try {
                listen();
                channel.write(ByteBuffer.wrap(new byte[] {' '}));
            } catch (IOException e) {
                hearTheLast();
                ended = true;
            }
        }

        /** The other side may have answered and closed since it was last listened to. */
        private void hearTheLast() {
            try {
                listen();
            } catch (IOException over) {
                return;
            }
        }

        private void listen() throws IOException {
            ByteBuffer heard = ByteBuffer.allocate(4096);
            ended = channel.read(heard) < 0;
            answer.append(new String(heard.array(), 0, heard.position(), ISO_8859_1));
        }

        synchronized boolean isEnded() {
            return ended;
        }

        synchronized String answer() {
            return answer.toString();
        }
    }

    private void goOn() {
        while (!closed) {
            lines.forEach(Line::oneByteMore);
            try {
                Thread.sleep(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** Whether the other side has closed them all. */
    boolean isEnded() {
        return ended() == lines.size();
    }

    /** How many of them the other side has closed. */
    long ended() {
        return lines.stream().filter(Line::isEnded).count();
    }

    List<String> answers() {
        return lines.stream().map(Line::answer).toList();
    }

    @Override
    public void close() throws IOException {
        closed = true;
        thread.interrupt();
        for (Line each : lines) {
            each.channel.close();
        }
    }
}
