package dev.posthorn.benchmarks.harness;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** One of those that are compared, and what its turns came to. */
public final class Side {

    /** Measures the side once. */
    public interface Measurement {

        /** Rounds are counted from 0, warm-ups included. */
        Turn take(int round) throws Exception;
    }

    private final String name;
    private final Measurement measurement;
    private final List<Turn> turns = new ArrayList<>();

    Side(String name, Measurement measurement) {
        this.name = name;
        this.measurement = measurement;
    }

    public String name() {
        return name;
    }

    Turn take(int round, boolean counts) throws Exception {
        Turn turn = measurement.take(round);
        if (counts) {
            turns.add(turn);
        }
        return turn;
    }

    /** A figure of all turns that count. */
    public List<Double> turns(String figure) {
        return turns.stream()
                .map(turn -> Objects.requireNonNull(turn.figures().get(figure), figure))
                .toList();
    }

    public double median(String figure) {
        double[] sorted =
                turns(figure).stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** Ours to the reference's, by the medians. */
    public double ratio(Side reference, String figure) {
        return median(figure) / reference.median(figure);
    }

    public double perSecond() {
        return median(Turn.PER_SECOND);
    }

    public List<Double> perSecondOfTurns() {
        return turns(Turn.PER_SECOND);
    }

    public double ratio(Side reference) {
        return ratio(reference, Turn.PER_SECOND);
    }
}
