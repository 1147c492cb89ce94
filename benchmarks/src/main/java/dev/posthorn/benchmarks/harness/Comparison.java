package dev.posthorn.benchmarks.harness;

import java.util.ArrayList;
import java.util.List;

/**
 * Sides that take turns on the same machine. Each begins a round as often as any other: whoever comes later finds the
 * machine in another state. Warm-ups go before and do not count.
 */
public final class Comparison {

    private final String title;
    private final Output output;
    private final int warmUps;
    private final int rounds;
    private final List<Side> sides = new ArrayList<>();

    /** The title stands before each turn in the progress. */
    public Comparison(String title, Output output, Rounds rounds) {
        this.title = title;
        this.output = output;
        this.warmUps = output.size(rounds.warmUps(), 1);
        this.rounds = warmUps + output.size(rounds.counted(), 1);
    }

    /** All rounds, warm-ups included. */
    public int rounds() {
        return rounds;
    }

    /** Adds a side; its name is that of its figures in the result. */
    public Side side(String name, Side.Measurement measurement) {
        Side side = new Side(name, measurement);
        sides.add(side);
        return side;
    }

    public void run() throws Exception {
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < sides.size(); i++) {
                Side side = sides.get((round + i) % sides.size());
                boolean counts = round >= warmUps;
                Turn turn = side.take(round, counts);
                String number = counts ? "round " + (round - warmUps + 1) : "warm-up";
                output.progress("%s, %s, %s: %s", title, number, side.name(), turn);
            }
        }
    }
}
