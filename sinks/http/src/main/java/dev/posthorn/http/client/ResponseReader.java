package dev.posthorn.http.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpResponse;
import org.jspecify.annotations.Nullable;

/** Keeps the beginning of a response and lets the rest of it pass, however much there is. */
final class ResponseReader {

    private static final byte[] NOTHING = {};

    private final int most;
    private @Nullable ByteArrayOutputStream beginning;
    private int status;
    private @Nullable String retryAfter;
    private Charset charset = UTF_8;
    private volatile boolean begun;

    ResponseReader(int most) {
        this.most = most;
    }

    /** Whether anything of the response has come. */
    boolean hasBegun() {
        return begun;
    }

    void begin(HttpResponse response, @Nullable EntityDetails body) {
        begun = true;
        status = response.getCode();
        Header wish = response.getFirstHeader("Retry-After");
        retryAfter = wish == null ? null : wish.getValue();
        if (body != null) {
            charset = charset(body.getContentType());
            beginning = new ByteArrayOutputStream();
        }
    }

    private static Charset charset(@Nullable String contentType) {
        ContentType type = contentType == null ? null : ContentType.parseLenient(contentType);
        return type == null ? UTF_8 : type.getCharset(UTF_8);
    }

    void read(ByteBuffer source) {
        if (beginning != null) {
            byte[] kept = new byte[Math.min(source.remaining(), most - beginning.size())];
            source.get(kept);
            beginning.writeBytes(kept);
        }
        source.position(source.limit());
    }

    Response end() {
        return new Response(status, retryAfter, beginning == null ? NOTHING : beginning.toByteArray(), charset);
    }
}
