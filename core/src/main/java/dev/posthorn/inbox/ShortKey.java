package dev.posthorn.inbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A key that fits into an index. Others write keys of any length: of a long one the beginning is kept, for people, and a
 * digest of the whole, so that equal keys stay equal and others do not become so.
 */
public final class ShortKey {

    private static final int LONGEST = 512;
    private static final int DIGEST_BYTES = 16;

    private ShortKey() {}

    public static String of(String key) {
        return key.length() <= LONGEST ? key : beginning(key) + "…#" + digest(key);
    }

    /** Never between the halves of a surrogate pair, which PostgreSQL does not store. */
    private static String beginning(String key) {
        int end = Character.isHighSurrogate(key.charAt(LONGEST - 1)) ? LONGEST - 1 : LONGEST;
        return key.substring(0, end);
    }

    private static String digest(String key) {
        try {
            byte[] all = MessageDigest.getInstance("SHA-256").digest(key.getBytes(UTF_8));
            return HexFormat.of().formatHex(all, 0, DIGEST_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
