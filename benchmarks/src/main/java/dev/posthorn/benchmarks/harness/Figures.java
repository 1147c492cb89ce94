package dev.posthorn.benchmarks.harness;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The figures of a benchmark by name: numbers, texts, lists of numbers, and figures again. */
public final class Figures {

    private static final MathContext SIX_DIGITS = new MathContext(6);

    private final Map<String, Object> values = new LinkedHashMap<>();

    public Figures put(String name, Object value) {
        values.put(name, value);
        return this;
    }

    public Figures putAll(Figures more) {
        values.putAll(more.values);
        return this;
    }

    /** The rates of sides, each under its name: the median, and round by round. */
    public Figures rates(Side... sides) {
        for (Side side : sides) {
            put(side.name() + "PerSecond", side.perSecond());
            put(side.name() + "Rounds", side.perSecondOfTurns());
        }
        return this;
    }

    /** The medians of a side's figures. */
    public static Figures medians(Side side, String... names) {
        Figures medians = new Figures();
        for (String name : names) {
            medians.put(name, side.median(name));
        }
        return medians;
    }

    /** Of the machine, so that one knows later what the other figures are about. */
    Figures machine() {
        return put("processors", Runtime.getRuntime().availableProcessors())
                .put("java", Runtime.version().toString());
    }

    public String json() {
        return values.entrySet().stream()
                .map(entry -> text(entry.getKey()) + ": " + json(entry.getValue()))
                .collect(Collectors.joining(", ", "{", "}"));
    }

    private static String json(Object value) {
        if (value instanceof Figures figures) {
            return figures.json();
        }
        if (value instanceof List<?> list) {
            return list.stream().map(Figures::json).collect(Collectors.joining(", ", "[", "]"));
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
