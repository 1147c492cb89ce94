package dev.posthorn.server.settings;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.core.convert.ConversionFailedException;
import org.springframework.util.unit.DataSize;

/** A setting of which nobody can tell what it means: says what it may be, in the words of whoever writes it. */
final class Unreadable {

    private Unreadable() {}

    static String message(BindException error) {
        ConversionFailedException conversion = conversion(error);
        if (conversion == null) {
            return error.getName() + " cannot be read; docs/settings.md tells what it may be";
        }
        return error.getName() + " is '" + conversion.getValue() + "'; it must be "
                + allowed(conversion.getTargetType().getType());
    }

    private static @Nullable ConversionFailedException conversion(BindException error) {
        for (Throwable each = error; each != null; each = each.getCause()) {
            if (each instanceof ConversionFailedException found) {
                return found;
            }
        }
        return null;
    }

    private static String allowed(Class<?> type) {
        if (type.isEnum()) {
            return Arrays.stream(type.getEnumConstants())
                    .map(each ->
                            ((Enum<?>) each).name().toLowerCase(Locale.ROOT).replace('_', '-'))
                    .collect(Collectors.joining(" or "));
        }
        if (type == Duration.class) {
            return "a time, such as 500ms, 30s or 7d";
        }
        if (type == DataSize.class) {
            return "a size, such as 512KB or 16MB";
        }
        if (type == boolean.class || type == Boolean.class) {
            return "true or false";
        }
        return type == double.class ? "a number" : "a whole number";
    }
}
