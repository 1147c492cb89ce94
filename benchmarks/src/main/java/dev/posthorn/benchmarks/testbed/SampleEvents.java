package dev.posthorn.benchmarks.testbed;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.posthorn.event.Event;
import java.util.SplittableRandom;

/**
 * Events as a shop would record them, with a payload of exactly the size asked for that compresses about as well as
 * real JSON does. Not thread-safe.
 */
public final class SampleEvents {

    private static final byte[] LETTERS =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 -".getBytes(US_ASCII);

    private static final String[] FIELDS = {"customer", "street", "city", "article", "comment", "voucher"};

    private static final int FIELD_LENGTH = 40;

    private final SplittableRandom random;
    private final int size;
    private final int keys;

    public SampleEvents(long seed, int size, int keys) {
        this.random = new SplittableRandom(seed);
        this.size = size;
        this.keys = keys;
    }

    public Event next() {
        return next(random.nextInt(1_000_000_000));
    }

    /** An event whose payload begins with this number. */
    public Event next(int order) {
        return builder(order).build();
    }

    /** The same, for whoever wants something in it to be different. */
    public Event.Builder builder(int order) {
        return Event.builder()
                .source("bench")
                .type("order.placed")
                .aggregateType("order")
                .key("order-" + random.nextInt(keys))
                .contentType(Event.JSON)
                .payload(payload(order));
    }

    private byte[] payload(int order) {
        StringBuilder json = new StringBuilder(size + FIELD_LENGTH).append("{\"order\":\"");
        String digits = Integer.toString(order);
        json.append("0000000000", 0, 10 - digits.length()).append(digits).append('"');
        for (int field = 0; json.length() < size - 2 * FIELD_LENGTH; field++) {
            // Numbered, because no name may stand twice in an object.
            json.append(",\"")
                    .append(FIELDS[field % FIELDS.length])
                    .append(field)
                    .append("\":\"");
            appendLetters(json, FIELD_LENGTH);
            json.append('"');
        }
        json.append(",\"rest\":\"");
        appendLetters(json, size - 2 - json.length());
        return json.append("\"}").toString().getBytes(US_ASCII);
    }

    private void appendLetters(StringBuilder json, int count) {
        long bits = 0;
        for (int i = 0; i < count; i++) {
            bits = i % 10 == 0 ? random.nextLong() : bits >>> 6;
            json.append((char) LETTERS[(int) (bits & 63)]);
        }
    }

    /** The number that a payload begins with. */
    public static int orderOf(byte[] payload) {
        int order = 0;
        for (int i = 10; i < 20; i++) {
            order = 10 * order + payload[i] - '0';
        }
        return order;
    }
}
