package dev.posthorn.event;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Makes event ids. */
public final class EventIds {

    /** Milliseconds and a 12-bit count in one number, so that ids of one process always ascend. */
    private static final AtomicLong LAST = new AtomicLong();

    private static final int LENGTH = 36;

    private EventIds() {}

    /** A UUIDv7: time-ordered, so that the index on it grows at its right-hand end. */
    public static UUID next() {
        long now = System.currentTimeMillis() << 12;
        long tick = LAST.updateAndGet(last -> Math.max(last + 1, now));
        long high = (tick >>> 12 << 16) | 0x7000L | (tick & 0xfff);
        long low = (ThreadLocalRandom.current().nextLong() >>> 2) | 0x8000000000000000L;
        return new UUID(high, low);
    }

    /** The name-based UUID (version 5) of an id that is not a UUID: the same for the same source and id, everywhere. */
    public static UUID named(String source, String sourceId) {
        byte[] digest = sha1().digest((source + '\0' + sourceId).getBytes(UTF_8));
        ByteBuffer bytes = ByteBuffer.wrap(Arrays.copyOf(digest, 16));
        long high = (bytes.getLong() & ~0xf000L) | 0x5000L;
        long low = (bytes.getLong() & 0x3fffffffffffffffL) | 0x8000000000000000L;
        return new UUID(high, low);
    }

    /** Whether it is such a one, or looks like it. */
    public static boolean isNamed(UUID id) {
        return id.version() == 5;
    }

    /** The UUID that a text is, in full and in whatever case; null if it is none. */
    public static @Nullable UUID uuid(String text) {
        if (text.length() != LENGTH) {
            return null;
        }
        try {
            UUID uuid = UUID.fromString(text);
            // Java also reads misplaced dashes, so that several texts would become one UUID.
            return uuid.toString().equalsIgnoreCase(text) ? uuid : null;
        } catch (IllegalArgumentException notAUuid) {
            return null;
        }
    }

    private static MessageDigest sha1() {
        try {
            return MessageDigest.getInstance("SHA-1");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-1", e);
        }
    }
}
