package dev.posthorn.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which lane a key belongs to: PostgreSQL's {@code hashtextextended} with seed 0, so that a read filters by it on the
 * server at no cost, written again here for whoever has to know the lane without asking. (Bob Jenkins' lookup3, as in
 * PostgreSQL's {@code hash_bytes_extended} on a little-endian machine.)
 */
public final class KeyHash {

    private static final int INITIAL = 0x9e3779b9 + 3923095;

    private KeyHash() {}

    public static int lane(@Nullable String key, UUID id, int lanes) {
        return (int) (of(key == null ? id.toString() : key) % lanes);
    }

    /** The hash without its sign bit. */
    public static long of(String text) {
        return hash(text.getBytes(UTF_8)) & Long.MAX_VALUE;
    }

    private static long hash(byte[] bytes) {
        int a = INITIAL + bytes.length;
        int b = a;
        int c = a;
        int at = 0;
        for (; bytes.length - at >= 12; at += 12) {
            a += word(bytes, at, 4);
            b += word(bytes, at + 4, 4);
            c += word(bytes, at + 8, 4);
            a = (a - c) ^ Integer.rotateLeft(c, 4);
            c += b;
            b = (b - a) ^ Integer.rotateLeft(a, 6);
            a += c;
            c = (c - b) ^ Integer.rotateLeft(b, 8);
            b += a;
            a = (a - c) ^ Integer.rotateLeft(c, 16);
            c += b;
            b = (b - a) ^ Integer.rotateLeft(a, 19);
            a += c;
            c = (c - b) ^ Integer.rotateLeft(b, 4);
            b += a;
        }
        a += word(bytes, at, 4);
        b += word(bytes, at + 4, 4);
        c += word(bytes, at + 8, 3) << 8; // its lowest byte is reserved for the length
        c = (c ^ b) - Integer.rotateLeft(b, 14);
        a = (a ^ c) - Integer.rotateLeft(c, 11);
        b = (b ^ a) - Integer.rotateLeft(a, 25);
        c = (c ^ b) - Integer.rotateLeft(b, 16);
        a = (a ^ c) - Integer.rotateLeft(c, 4);
        b = (b ^ a) - Integer.rotateLeft(a, 14);
        c = (c ^ b) - Integer.rotateLeft(b, 24);
        return ((long) b << 32) | Integer.toUnsignedLong(c);
    }

    /** Up to {@code most} bytes from {@code at}, lowest first; what lies beyond the end counts as zero. */
    private static int word(byte[] bytes, int at, int most) {
        int word = 0;
        for (int i = 0; i < most && at + i < bytes.length; i++) {
            word |= (bytes[at + i] & 0xff) << (8 * i);
        }
        return word;
    }
}
