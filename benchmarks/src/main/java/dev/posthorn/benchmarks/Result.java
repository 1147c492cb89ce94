package dev.posthorn.benchmarks;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The figures of one benchmark.
 *
 * @param ratio ours to the reference; with several forms, the smallest
 * @param figures the raw ones by name: numbers, texts, lists of numbers, and maps of the same
 */
record Result(String name, double ratio, Map<String, Object> figures) {

    private static final MathContext SIX_DIGITS = new MathContext(6);

    String json() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("name", name);
        all.put("ratio", ratio);
        all.putAll(figures);
        all.put("processors", Runtime.getRuntime().availableProcessors());
        all.put("java", Runtime.version().toString());
        return value(all) + "\n";
    }

    private static String value(Object value) {
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .map(entry -> text(entry.getKey()) + ": " + value(entry.getValue()))
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        if (value instanceof List<?> list) {
            return list.stream().map(Result::value).collect(Collectors.joining(", ", "[", "]"));
        }
        if (value instanceof Double number) {
            return new BigDecimal(number).round(SIX_DIGITS).stripTrailingZeros().toPlainString();
        }
        return value instanceof Number ? value.toString() : text(value);
    }

    /** Names and versions of our own making: nothing in them needs escaping but these two. */
    private static String text(Object text) {
        return '"' + text.toString().replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
