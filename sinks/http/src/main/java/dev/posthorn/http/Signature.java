package dev.posthorn.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs requests by Standard Webhooks 1.0. During a rotation there are two secrets and both sign, so that a receiver
 * that knows only one of them, whichever it is, can verify.
 */
final class Signature {

    private static final String PREFIX = "whsec_";
    private static final String ALGORITHM = "HmacSHA256";
    private static final int LEAST_BYTES = 24;
    private static final int MOST_BYTES = 64;
    private static final int NEW_BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final List<Key> keys;

    private Signature(List<Key> keys) {
        this.keys = keys;
    }

    /** The newest secret first; two during a rotation, otherwise one. */
    static Signature of(List<String> secrets) {
        Setting.require(
                secrets.size() == 1 || secrets.size() == 2,
                "there are " + secrets.size() + " webhook secrets; give one, or two during a rotation");
        return new Signature(secrets.stream().map(Key::of).toList());
    }

    /** A secret such as {@link #of(List)} takes, known to nobody yet. */
    static String newSecret() {
        byte[] bytes = new byte[NEW_BYTES];
        RANDOM.nextBytes(bytes);
        return PREFIX + Base64.getEncoder().encodeToString(bytes);
    }

    /** The value of {@code webhook-signature}. */
    String of(String id, long epochSecond, byte[] body) {
        byte[] start = (id + '.' + epochSecond + '.').getBytes(UTF_8);
        String first = keys.get(0).sign(start, body);
        return keys.size() == 1 ? first : first + ' ' + keys.get(1).sign(start, body);
    }

    @Override
    public String toString() {
        return "signature with " + keys.size() + (keys.size() == 1 ? " secret" : " secrets");
    }

    /**
     * The prototype is never used itself, only copied: finding the algorithm and preparing the key cost more than
     * signing a small body.
     */
    private record Key(Mac prototype) {

        static Key of(String secret) {
            byte[] bytes = decoded(secret);
            Setting.require(
                    bytes.length >= LEAST_BYTES && bytes.length <= MOST_BYTES,
                    "a webhook secret has " + bytes.length + " bytes; it must have " + LEAST_BYTES + " to "
                            + MOST_BYTES);
            try {
                Mac mac = Mac.getInstance(ALGORITHM);
                mac.init(new SecretKeySpec(bytes, ALGORITHM));
                // Copied here already: if that does not work, better now than with the first event.
                return new Key((Mac) mac.clone());
            } catch (GeneralSecurityException | CloneNotSupportedException e) {
                throw new IllegalStateException("this JVM's " + ALGORITHM + " cannot be used", e);
            }
        }

        private static byte[] decoded(String secret) {
            Setting.require(secret.startsWith(PREFIX), "a webhook secret does not begin with '" + PREFIX + "'");
            try {
                return Base64.getDecoder().decode(secret.substring(PREFIX.length()));
            } catch (IllegalArgumentException e) {
                throw Setting.refused("a webhook secret is not base64 after '" + PREFIX + "'");
            }
        }

        String sign(byte[] start, byte[] body) {
            try {
                Mac mac = (Mac) prototype.clone();
                mac.update(start);
                return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
            } catch (CloneNotSupportedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
