package dev.posthorn.server.json;

import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Durations as people write them: {@code 500ms}, {@code 30s}, {@code 5m}, {@code 2h}, {@code 7d}. */
public final class Durations {

    private static final Pattern FORM = Pattern.compile("(\\d{1,10})(ms|s|m|h|d)");
    private static final Map<String, Long> MILLIS =
            Map.of("ms", 1L, "s", 1_000L, "m", 60_000L, "h", 3_600_000L, "d", 86_400_000L);

    private Durations() {}

    /** Null if the text is not a duration. */
    public static @Nullable Duration parse(String text) {
        Matcher found = FORM.matcher(text);
        if (!found.matches()) {
            return null;
        }
        long unit = MILLIS.getOrDefault(found.group(2), 1L);
        return Duration.ofMillis(Math.multiplyExact(Long.parseLong(found.group(1)), unit));
    }

    /** In the largest unit that divides it. */
    public static String print(Duration duration) {
        long millis = duration.toMillis();
        for (String unit : new String[] {"d", "h", "m", "s"}) {
            long size = MILLIS.getOrDefault(unit, 1L);
            if (millis != 0 && millis % size == 0) {
                return millis / size + unit;
            }
        }
        return millis + "ms";
    }
}
