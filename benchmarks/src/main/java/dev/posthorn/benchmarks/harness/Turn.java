package dev.posthorn.benchmarks.harness;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What one turn of a side came to: figures by the names that they have in the result, the one that counts first. */
public record Turn(Map<String, Double> figures) {

    static final String PER_SECOND = "perSecond";

    public static Turn of(String name, double value) {
        return new Turn(Map.of()).and(name, value);
    }

    public static Turn perSecond(double rate) {
        return of(PER_SECOND, rate);
    }

    public Turn and(String name, double value) {
        Map<String, Double> more = new LinkedHashMap<>(figures);
        more.put(name, value);
        return new Turn(more);
    }

    public Turn and(Turn other) {
        Map<String, Double> more = new LinkedHashMap<>(figures);
        more.putAll(other.figures);
        return new Turn(more);
    }

    @Override
    public String toString() {
        return figures.entrySet().stream()
                .map(figure -> figure.getKey() + " " + rounded(figure.getValue()))
                .collect(Collectors.joining(", "));
    }

    private static String rounded(double value) {
        return String.format(Locale.ROOT, value < 100 ? "%.2f" : "%,.0f", value);
    }
}
