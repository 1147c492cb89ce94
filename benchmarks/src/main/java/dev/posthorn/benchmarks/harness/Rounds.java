package dev.posthorn.benchmarks.harness;

import picocli.CommandLine.Option;

/** How often every side of a comparison is measured. Each benchmark brings defaults of its own. */
public final class Rounds {

    @Option(names = "--rounds", description = "Rounds of each side, of which the median counts (${DEFAULT-VALUE}).")
    private int counted;

    @Option(names = "--warm-ups", description = "Rounds of each side before (${DEFAULT-VALUE}).")
    private int warmUps;

    public Rounds(int counted, int warmUps) {
        this.counted = counted;
        this.warmUps = warmUps;
    }

    public int counted() {
        return counted;
    }

    public int warmUps() {
        return warmUps;
    }
}
