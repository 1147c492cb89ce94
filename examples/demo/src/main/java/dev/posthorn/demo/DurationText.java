package dev.posthorn.demo;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads "20s", "500ms", "5m" and "1h". */
final class DurationText implements ITypeConverter<Duration> {

    private static final Pattern TEXT = Pattern.compile("(\\d{1,9})(ms|s|m|h)");
    private static final Map<String, ChronoUnit> UNITS = Map.of(
            "ms", ChronoUnit.MILLIS,
            "s", ChronoUnit.SECONDS,
            "m", ChronoUnit.MINUTES,
            "h", ChronoUnit.HOURS);

    @Override
    public Duration convert(String value) {
        Matcher text = TEXT.matcher(value);
        if (!text.matches()) {
            throw new TypeConversionException("'" + value + "' is not a time such as 20s, 500ms, 5m or 1h");
        }
        return Duration.of(Long.parseLong(text.group(1)), UNITS.getOrDefault(text.group(2), ChronoUnit.SECONDS));
    }
}
