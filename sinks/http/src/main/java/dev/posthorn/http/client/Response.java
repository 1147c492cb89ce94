package dev.posthorn.http.client;

import java.nio.charset.Charset;
import org.jspecify.annotations.Nullable;

/**
 * What came back.
 *
 * @param beginning the first kilobytes of the body
 */
@SuppressWarnings("ArrayRecordComponent") // Nobody compares two.
public record Response(int status, @Nullable String retryAfter, byte[] beginning, Charset charset) {

    /** Bytes that are no text in its character set come out as marks for that. */
    public String text() {
        return new String(beginning, charset);
    }
}
