package dev.posthorn.kafka;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.time.Instant;
import java.util.Arrays;

/**
 * Writes times in the form of RFC 3339, as {@link Instant#toString()} does at several times the cost: events that
 * follow each other mostly happened in the same second. For one thread.
 */
final class TimeText {

    private long second = Long.MIN_VALUE;
    private byte[] upToSecond = {};

    byte[] of(Instant time) {
        if (time.getEpochSecond() != second) {
            second = time.getEpochSecond();
            byte[] whole = Instant.ofEpochSecond(second).toString().getBytes(US_ASCII);
            upToSecond = Arrays.copyOf(whole, whole.length - 1);
        }
        int nanos = time.getNano();
        if (nanos == 0) {
            return ended(upToSecond.length + 1);
        }
        if (nanos % 1_000_000 == 0) {
            return withFraction(nanos / 1_000_000, 3);
        }
        return nanos % 1000 == 0 ? withFraction(nanos / 1000, 6) : withFraction(nanos, 9);
    }

    private byte[] withFraction(int fraction, int digits) {
        byte[] text = ended(upToSecond.length + 1 + digits + 1);
        text[upToSecond.length] = '.';
        int rest = fraction;
        for (int i = text.length - 2; i > upToSecond.length; i--) {
            text[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        return text;
    }

    private byte[] ended(int length) {
        byte[] text = Arrays.copyOf(upToSecond, length);
        text[length - 1] = 'Z';
        return text;
    }
}
