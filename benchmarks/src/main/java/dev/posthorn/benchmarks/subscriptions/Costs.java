package dev.posthorn.benchmarks.subscriptions;

import dev.posthorn.benchmarks.harness.Figures;
import dev.posthorn.benchmarks.harness.Turn;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The figures of all hubs side by side, and what some of them come to against their reference.
 *
 * @param reference deliveries a second to one subscription that has a hub for itself; 0 if that was not measured
 */
record Costs(Map<Integer, Turn> measured, double reference) {

    private static final String ALL = "allPerSecond";
    private static final String ALL_RATIO = "allRatio";
    private static final String MIX = "mixP99Millis";
    private static final String MIX_RATIO = "mixP99Ratio";

    /** With so many subscriptions a hub's mix is what others are compared with. */
    private static final int MIX_REFERENCE = 20;

    private static final int LABEL = 44;
    private static final int COLUMN = 12;

    /** In the order of the table. */
    private static final Map<String, String> LABELS = labels();

    private static Map<String, String> labels() {
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put("idleCpuPercent", "idle, hub and PostgreSQL, % of a core");
        labels.put("threads", "threads of the hub");
        labels.put("residentMiB", "resident memory of the hub, MiB");
        labels.put("oneP50Millis", "one wants it, p50, ms");
        labels.put("oneP99Millis", "one wants it, p99, ms");
        labels.put("allLastMillis", "all want it, until the last has it, ms");
        labels.put(ALL, "all want it, deliveries/s");
        labels.put(ALL_RATIO, "the same, of what one subscription gets");
        labels.put("mixP50Millis", "paced mix, p50, ms");
        labels.put(MIX, "paced mix, p99, ms");
        labels.put(MIX_RATIO, "the same, of that with 20 subscriptions");
        labels.put("mixPublishedPerSecond", "paced mix, events/s that the hub took");
        labels.put("rowsPerEvent", "rows written per event");
        labels.put("rowsPerEventWithIngest", "the same, with those of the ingest");
        labels.put("bulkSeconds", "making all by the bulk form, s");
        labels.put("putsPerSecond", "making one more, PUTs/s of 8 callers");
        labels.put("putsPerSecondOfOne", "making one more, PUTs/s of one caller");
        labels.put("servedSeconds", "all are served after, s");
        labels.put("startSeconds", "start until one is served, s");
        labels.put("startAllSeconds", "start until all are served, s");
        labels.put("endSeconds", "end, s");
        return labels;
    }

    /** Of the largest hub's fan-out, the ratio is that of all. */
    Figures figures() {
        Figures figures = new Figures();
        Map<Integer, Turn> columns = columns();
        columns.values().stream()
                .flatMap(turn -> Stream.ofNullable(turn.figures().get(ALL_RATIO)))
                .reduce((before, last) -> last)
                .ifPresent(ratio -> figures.put("ratio", ratio));
        if (reference > 0) {
            figures.put("referencePerSecond", reference);
        }
        return figures.put(
                "hubs",
                columns.entrySet().stream()
                        .map(each -> of(each.getKey(), each.getValue()))
                        .toList());
    }

    private static Figures of(int subscriptions, Turn turn) {
        Figures figures = new Figures().put("subscriptions", subscriptions);
        turn.figures().forEach(figures::put);
        return figures;
    }

    private Map<Integer, Turn> columns() {
        Map<Integer, Turn> columns = new TreeMap<>();
        measured.forEach((count, turn) -> columns.put(count, withRatios(turn)));
        return columns;
    }

    private Turn withRatios(Turn turn) {
        Turn all = turn;
        Double rate = turn.figures().get(ALL);
        if (rate != null && reference > 0) {
            all = all.and(ALL_RATIO, rate / reference);
        }
        Double p99 = turn.figures().get(MIX);
        Turn few = measured.get(MIX_REFERENCE);
        if (p99 != null && few != null) {
            all = all.and(MIX_RATIO, p99 / few.figures().getOrDefault(MIX, p99));
        }
        return all;
    }

    /** A line for each figure, a column for each hub. */
    String table() {
        Map<Integer, Turn> columns = columns();
        StringBuilder table = new StringBuilder();
        if (reference > 0) {
            table.append(text("one subscription alone gets %,.0f deliveries/s", reference));
        }
        table.append(line("subscriptions", columns.keySet(), count -> text("%,d", count)));
        LABELS.forEach((name, label) -> {
            if (columns.values().stream().anyMatch(turn -> turn.figures().containsKey(name))) {
                table.append(line(
                        label, columns.values(), turn -> cell(turn.figures().get(name))));
            }
        });
        return table.toString();
    }

    private static <T> String line(String label, Collection<T> columns, Function<T, String> cell) {
        return columns.stream()
                .map(column -> text("%" + COLUMN + "s", cell.apply(column)))
                .collect(Collectors.joining("", text("%n%-" + LABEL + "s", label), ""));
    }

    private static String cell(@Nullable Double value) {
        return value == null ? "" : text(value < 100 ? "%.2f" : "%,.0f", value);
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
