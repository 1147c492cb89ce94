package dev.posthorn.benchmarks.harness;

/** Runs from where it is made. */
public final class Stopwatch {

    private final long started = System.nanoTime();

    public double seconds() {
        return (System.nanoTime() - started) / 1e9;
    }

    /** The rate of something that took until now. */
    public Turn perSecond(long count) {
        return Turn.perSecond(count / seconds());
    }
}
