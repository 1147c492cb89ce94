package dev.posthorn.demo;

/** Latencies in a fixed space, however many: buckets that grow by two percent. Not thread-safe. */
final class Latencies {

    private static final double GROWTH = Math.log(1.02);
    private static final int BUCKETS = 1200;

    private final long[] counts = new long[BUCKETS];
    private long count;
    private long maxNanos;

    void add(long nanos) {
        double micros = Math.max(1, nanos / 1e3);
        counts[(int) Math.min(BUCKETS - 1, Math.log(micros) / GROWTH)]++;
        count++;
        maxNanos = Math.max(maxNanos, nanos);
    }

    /** In milliseconds; 0 if there is none. */
    double percentile(double percent) {
        long rank = (long) Math.ceil(count * percent / 100);
        long seen = 0;
        for (int bucket = 0; bucket < BUCKETS && rank > 0; bucket++) {
            seen += counts[bucket];
            if (seen >= rank) {
                return Math.min(Math.exp((bucket + 1) * GROWTH) / 1e3, max());
            }
        }
        return 0;
    }

    double max() {
        return maxNanos / 1e6;
    }
}
