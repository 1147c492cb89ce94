package dev.posthorn.server.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;

/** The key itself: what a caller sends, and what is kept of it. */
final class KeySecret {

    private static final int RANDOM_BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    private KeySecret() {}

    /** A new one, which can no more be guessed than a key of AES-256. */
    static String create() {
        byte[] random = new byte[RANDOM_BYTES];
        RANDOM.nextBytes(random);
        return "phk_" + Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    }

    static byte[] hash(String key) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(key.getBytes(UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /**
     * What a key is looked up by. How long the look-up takes tells at most how much of a hash is right, and nobody can
     * choose a hash's first bytes without trying keys: there is nothing to learn from the time, so no comparison has to
     * take the same time always.
     */
    static String lookup(byte[] hash) {
        return HexFormat.of().formatHex(hash);
    }
}
