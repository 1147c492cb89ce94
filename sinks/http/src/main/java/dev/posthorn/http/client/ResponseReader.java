package dev.posthorn.http.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.util.List;
import java.util.Objects;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.HttpStreamResetException;
import org.apache.hc.core5.http.nio.AsyncResponseConsumer;
import org.apache.hc.core5.http.nio.CapacityChannel;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.jspecify.annotations.Nullable;

/** Keeps the beginning of a response and lets the rest of it pass, however much there is. */
public final class ResponseReader implements AsyncResponseConsumer<Response> {

    private final int most;
    private final ByteArrayOutputStream beginning = new ByteArrayOutputStream();
    private int status;
    private @Nullable String retryAfter;
    private Charset charset = UTF_8;
    private @Nullable FutureCallback<Response> result;
    private volatile boolean begun;
    private volatile boolean stopped;

    public ResponseReader(int most) {
        this.most = most;
    }

    /** Whether anything of the response has come. */
    public boolean hasBegun() {
        return begun;
    }

    /**
     * Takes no more. The client cannot cancel a request once it has the head of a response of 400 or more: who then
     * sends for ever would go on for as long.
     */
    public void stop() {
        stopped = true;
    }

    private void requireWanted() throws IOException {
        if (stopped) {
            throw new HttpStreamResetException("nobody waits for the answer any more");
        }
    }

    @Override
    public void consumeResponse(
            HttpResponse response,
            @Nullable EntityDetails entity,
            HttpContext context,
            FutureCallback<Response> resultCallback)
            throws IOException {
        requireWanted();
        begun = true;

        status = response.getCode();
        Header wish = response.getFirstHeader("Retry-After");
        retryAfter = wish == null ? null : wish.getValue();
        result = resultCallback;
        if (entity == null) {
            finish();
        } else {
            charset = charset(entity.getContentType());
        }
    }

    private static Charset charset(@Nullable String contentType) {
        ContentType type = contentType == null ? null : ContentType.parseLenient(contentType);
        return type == null ? UTF_8 : type.getCharset(UTF_8);
    }

    @Override
    public void informationResponse(HttpResponse response, HttpContext context) throws IOException {
        // The real one is still to come.
        requireWanted();
    }

    @Override
    public void updateCapacity(CapacityChannel channel) throws IOException {
        channel.update(Integer.MAX_VALUE);
    }

    @Override
    public void consume(ByteBuffer source) throws IOException {
        requireWanted();
        byte[] kept = new byte[Math.min(source.remaining(), most - beginning.size())];
        source.get(kept);
        beginning.writeBytes(kept);
        source.position(source.limit());
    }

    @Override
    public void streamEnd(@Nullable List<? extends Header> trailers) {
        finish();
    }

    private void finish() {
        Objects.requireNonNull(result).completed(new Response(status, retryAfter, beginning.toByteArray(), charset));
    }

    @Override
    public void failed(Exception cause) {
        // Whoever sent the request is told by its future.
    }

    @Override
    public void releaseResources() {}
}
