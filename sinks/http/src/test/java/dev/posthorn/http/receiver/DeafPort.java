package dev.posthorn.http.receiver;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;

/**
 * A port of this machine that refuses every connection for as long as it is held. One that was merely free a moment ago may be
 * given to another process, and one whose server was just closed may take a connection before its selector notices.
 */
public final class DeafPort implements AutoCloseable {

    private final SocketChannel bound;

    public DeafPort() throws IOException {
        bound = SocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    public int number() throws IOException {
        return ((InetSocketAddress) bound.getLocalAddress()).getPort();
    }

    public String url() throws IOException {
        return "http://127.0.0.1:" + number();
    }

    @Override
    public void close() throws IOException {
        bound.close();
    }
}
