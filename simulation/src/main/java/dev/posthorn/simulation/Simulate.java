package dev.posthorn.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs the simulation for as many seeds as one likes. Exits 0 only if no promise was broken. */
@Command(
        name = "posthorn simulate",
        mixinStandardHelpOptions = true,
        description = "Runs the relay's own classes, single-threaded, through seeded faults and checks every promise.")
public final class Simulate implements Callable<Integer> {

    @Option(names = "--seeds", defaultValue = "20000", description = "how many seeds to run (${DEFAULT-VALUE})")
    private long seeds;

    @Option(names = "--from", defaultValue = "1", description = "the first of them (${DEFAULT-VALUE})")
    private long from;

    @Option(names = "--seed", description = "run this one only, and tell what happened")
    private @Nullable Long seed;

    @Option(names = "--threads", description = "how many seeds at a time; left out, as many as there are processors")
    private @Nullable Integer threads;

    @Option(names = "--last", defaultValue = "300", description = "of how many things that happened (${DEFAULT-VALUE})")
    private int last;

    public static void main(String[] args) {
        System.exit(new CommandLine(new Simulate()).execute(args));
    }

    @Override
    public Integer call() {
        return seed == null ? runAll() : replay(seed);
    }

    private int runAll() {
        int width = threads == null ? Runtime.getRuntime().availableProcessors() : threads;
        long started = System.nanoTime();
        Simulation simulation = new Simulation();
        Thread progress = new Thread(() -> tellProgress(simulation, started), "progress");
        progress.setDaemon(true);
        progress.start();
        Simulation.Failure failure = simulation.run(from, seeds, width);
        System.out.println(failure == null ? seeds + " seeds kept every promise, in " + seconds(started) : failure);
        return failure == null ? 0 : 1;
    }

    private void tellProgress(Simulation simulation, long started) {
        try {
            while (true) {
                TimeUnit.SECONDS.sleep(30);
                System.out.printf("%,d of %,d seeds, %s%n", simulation.done(), seeds, seconds(started));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String seconds(long started) {
        return (System.nanoTime() - started) / 1_000_000_000 + " s";
    }

    private int replay(long seed) {
        List<String> trace = new ArrayList<>();
        Simulation.Failure failure = new Simulation().replay(seed, trace);
        trace.subList(Math.max(0, trace.size() - last), trace.size()).forEach(System.out::println);
        System.out.println(failure == null ? "seed " + seed + " kept every promise" : failure);
        return failure == null ? 0 : 1;
    }
}
