package dev.posthorn.http.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import org.apache.hc.core5.http.nio.AsyncEntityProducer;
import org.apache.hc.core5.http.nio.DataStreamChannel;
import org.jspecify.annotations.Nullable;

/** A request's body, which knows whether a connection has asked for it, and taken it all. */
public final class RequestBody implements AsyncEntityProducer {

    private final byte[] bytes;
    private final ByteBuffer left;
    private Runnable whenWanted = () -> {};
    private volatile boolean wanted;
    private volatile boolean whole;

    public RequestBody(byte[] bytes) {
        this.bytes = bytes;
        this.left = ByteBuffer.wrap(bytes);
    }

    public byte[] bytes() {
        return bytes;
    }

    /** Does this when a connection asks for it first. To be set before it is sent. */
    public void whenWanted(Runnable action) {
        this.whenWanted = action;
    }

    /** Whether there was a connection: the receiver may have the request, or part of it. */
    public boolean wasWanted() {
        return wanted;
    }

    /** Whether all of it was taken. */
    public boolean isWhole() {
        return whole;
    }

    @Override
    public void produce(DataStreamChannel channel) throws IOException {
        if (!wanted) {
            whenWanted.run();
            wanted = true;
        }
        if (left.hasRemaining()) {
            channel.write(left);
        }
        if (!left.hasRemaining()) {
            whole = true;
            channel.endStream();
        }
    }

    @Override
    public int available() {
        return Integer.MAX_VALUE;
    }

    @Override
    public long getContentLength() {
        return bytes.length;
    }

    /** A header like any other: read as a value of the library's, it would not come out as it was. */
    @Override
    public @Nullable String getContentType() {
        return null;
    }

    @Override
    public @Nullable String getContentEncoding() {
        return null;
    }

    @Override
    public boolean isChunked() {
        return false;
    }

    @Override
    public @Nullable Set<String> getTrailerNames() {
        return null;
    }

    @Override
    public boolean isRepeatable() {
        return false;
    }

    @Override
    public void failed(Exception cause) {
        // Whoever sent the request is told by its future.
    }

    @Override
    public void releaseResources() {}
}
