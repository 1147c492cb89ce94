package dev.posthorn.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/** A header whose values repeat, such as the type: each value is encoded once. For one thread. */
final class TextHeader {

    private static final int MOST_VALUES = 1000;

    private final String name;
    private final Map<String, Header> byValue = new HashMap<>();
    private @Nullable String lastValue;
    private @Nullable Header last;

    TextHeader(String name) {
        this.name = name;
    }

    Header of(String value) {
        if (last == null || !value.equals(lastValue)) {
            if (byValue.size() >= MOST_VALUES) {
                byValue.clear();
            }
            last = byValue.computeIfAbsent(value, text -> new RecordHeader(name, text.getBytes(UTF_8)));
            lastValue = value;
        }
        return last;
    }
}
