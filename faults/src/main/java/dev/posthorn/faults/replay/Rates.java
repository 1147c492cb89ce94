package dev.posthorn.faults.replay;

import java.util.List;
import java.util.Locale;

/**
 * How fast a replay went, measured several times.
 *
 * @param set the rate that was asked for
 * @param measured sorted
 */
record Rates(double set, List<Double> measured) {

    private static final double TOLERANCE = 0.1;

    Rates {
        measured = measured.stream().sorted().toList();
    }

    static Rates of(double set, List<Watch.Stretch> stretches, List<Came> came, long replay) {
        return new Rates(
                set,
                stretches.stream().map(stretch -> rate(stretch, came, replay)).toList());
    }

    /** How many a second came by that replay. */
    static double rate(Watch.Stretch stretch, List<Came> came, long replay) {
        return came.stream()
                        .filter(each -> each.replay() == replay)
                        .filter(each -> each.at() >= stretch.from() && each.at() < stretch.to())
                        .count()
                / stretch.seconds();
    }

    double median() {
        int middle = measured.size() / 2;
        return measured.isEmpty()
                ? 0
                : measured.size() % 2 == 1
                        ? measured.get(middle)
                        : (measured.get(middle - 1) + measured.get(middle)) / 2;
    }

    boolean isKept() {
        return Math.abs(median() - set) <= TOLERANCE * set;
    }

    @Override
    public String toString() {
        return measured.isEmpty()
                ? "no rate measured"
                : String.format(
                        Locale.ROOT,
                        "rate %.0f/s: %.0f/s in the median of %d stretches, from %.0f to %.0f",
                        set,
                        median(),
                        measured.size(),
                        measured.get(0),
                        measured.get(measured.size() - 1));
    }
}
