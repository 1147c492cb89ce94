package dev.posthorn.benchmarks.harness;

import java.util.Locale;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/** How long events took, in milliseconds. */
public record Percentiles(double p50, double p99, double p999) {

    private static final int DIGITS = 3;

    /**
     * From one time of each event to another, both in nanoseconds. An event may arrive before its writer has been told
     * that it is committed; then it took no time at all.
     */
    public static Percentiles between(IntStream events, IntToLongFunction from, IntToLongFunction to) {
        Histogram nanos = new Histogram(DIGITS);
        events.forEach(event -> nanos.recordValue(Math.max(0, to.applyAsLong(event) - from.applyAsLong(event))));
        return new Percentiles(millis(nanos, 50), millis(nanos, 99), millis(nanos, 99.9));
    }

    private static double millis(Histogram nanos, double percentile) {
        return nanos.getValueAtPercentile(percentile) / 1e6;
    }

    public Percentiles minus(Percentiles other) {
        return new Percentiles(p50 - other.p50, p99 - other.p99, p999 - other.p999);
    }

    public Figures figures() {
        return new Figures().put("p50", p50).put("p99", p99).put("p99_9", p999);
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "p50 %.2f ms, p99 %.2f ms, p99.9 %.2f ms", p50, p99, p999);
    }
}
