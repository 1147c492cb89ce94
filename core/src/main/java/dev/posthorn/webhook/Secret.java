package dev.posthorn.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** What a sender and a receiver share. */
final class Secret {

    private static final String PREFIX = "whsec_";
    private static final String ALGORITHM = "HmacSHA256";
    private static final int LEAST_BYTES = 24;
    private static final int MOST_BYTES = 64;
    private static final int NEW_BYTES = 32;
    private static final String REMEDY =
            "; make one with: echo " + PREFIX + "$(openssl rand -base64 " + NEW_BYTES + ")";
    private static final SecureRandom RANDOM = new SecureRandom();

    /**
     * Never used itself, only copied: finding the algorithm and preparing the key cost more than signing a small body.
     */
    private final Mac prototype;

    private Secret(Mac prototype) {
        this.prototype = prototype;
    }

    static Secret of(String text) {
        byte[] bytes = decoded(text);
        require(
                bytes.length >= LEAST_BYTES && bytes.length <= MOST_BYTES,
                "a webhook secret has " + bytes.length + " bytes; it must have " + LEAST_BYTES + " to " + MOST_BYTES
                        + REMEDY);
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(bytes, ALGORITHM));
            // Copied here already: if that does not work, better now than with the first event.
            return new Secret((Mac) mac.clone());
        } catch (GeneralSecurityException | CloneNotSupportedException e) {
            throw new IllegalStateException("this JVM's " + ALGORITHM + " cannot be used", e);
        }
    }

    static String random() {
        byte[] bytes = new byte[NEW_BYTES];
        RANDOM.nextBytes(bytes);
        return PREFIX + Base64.getEncoder().encodeToString(bytes);
    }

    private static byte[] decoded(String text) {
        require(text.startsWith(PREFIX), "a webhook secret does not begin with '" + PREFIX + "'" + REMEDY);
        try {
            return Base64.getDecoder().decode(text.substring(PREFIX.length()));
        } catch (IllegalArgumentException e) {
            throw refused("a webhook secret is not base64 after '" + PREFIX + "'" + REMEDY);
        }
    }

    /** As it stands in {@code webhook-signature}. */
    String sign(String id, String timestamp, byte[] body) {
        try {
            Mac mac = (Mac) prototype.clone();
            mac.update((id + '.' + timestamp + '.').getBytes(UTF_8));
            return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void require(boolean holds, String message) {
        if (!holds) {
            throw refused(message);
        }
    }

    /** Without a cause on purpose: the messages of parsers quote what they could not read. */
    private static PosthornException refused(String message) {
        return new PosthornException(ErrorCode.INVALID_SETTING, message);
    }

    @Override
    public String toString() {
        return "[hidden]";
    }
}
