package dev.posthorn.http.auth;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.posthorn.http.text.Json;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** Signs JWTs that differ only in their time and {@code jti}. */
public record JwtSigner(SigningKey key, Map<String, Object> header, Map<String, Object> claims, Duration lifetime) {

    /** A receiver whose clock is a little behind ours would take a token for one of the future. */
    private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(30);

    public JwtSigner {
        claims = new LinkedHashMap<>(claims);
    }

    /** A new token. */
    public String sign(Instant now) throws GeneralSecurityException {
        Map<String, Object> all = new LinkedHashMap<>(claims);
        all.put("iat", now.getEpochSecond());
        all.put("nbf", now.minus(CLOCK_TOLERANCE).getEpochSecond());
        all.put("exp", now.plus(lifetime).getEpochSecond());
        all.put("jti", UUID.randomUUID().toString());
        String content = encoded(Json.object(header)) + '.' + encoded(Json.object(all));
        return content + '.' + encoded(key.sign(content.getBytes(US_ASCII)));
    }

    private static String encoded(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    @Override
    public String toString() {
        Object keyId = header.get("kid");
        return "JWT signed with " + key.algorithm() + (keyId == null ? "" : ", key id '" + keyId + "'");
    }
}
