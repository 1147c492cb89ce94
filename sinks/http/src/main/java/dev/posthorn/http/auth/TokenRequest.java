package dev.posthorn.http.auth;

import dev.posthorn.http.address.Target;
import dev.posthorn.sink.Secrets;
import java.util.Map;

/**
 * What a token endpoint is asked. Nobody compares two.
 *
 * @param secrets what of it nobody may be told
 */
@SuppressWarnings("ArrayRecordComponent")
public record TokenRequest(Target url, Map<String, String> headers, byte[] form, Secrets secrets) {

    @Override
    public String toString() {
        return url.toString();
    }
}
