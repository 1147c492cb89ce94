package dev.posthorn.benchmarks.subscriptions;

import dev.posthorn.benchmarks.harness.Benchmark;
import dev.posthorn.benchmarks.harness.Figures;
import dev.posthorn.benchmarks.harness.Turn;
import dev.posthorn.testkit.ChildJvm;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What many subscriptions cost a hub: a fresh one for each of several numbers of them, each with a PostgreSQL of its own. */
@Command(
        name = "subscriptions",
        description =
                "What 1, 20, 100, 1,000 and 10,000 HTTP subscriptions cost a hub with its own PostgreSQL: idle, by"
                        + " latency and by rate, against what one subscription gets of the same deliveries.")
public final class Subscriptions extends Benchmark {

    private static final List<Integer> COUNTS = List.of(1, 20, 100, 1_000, 10_000);

    @Option(names = "--count", description = "The most subscriptions of a hub (${DEFAULT-VALUE}).")
    private int count = 10_000;

    @Option(
            names = "--least",
            description = "The fewest of a hub (${DEFAULT-VALUE}); references are not measured then.")
    private int least = 1;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "PART",
            description = "What to measure, of: ${COMPLETION-CANDIDATES} (all).")
    private Set<Part> only = EnumSet.allOf(Part.class);

    @Option(
            names = "--patience",
            paramLabel = "SECONDS",
            description = "How long what was published may take to arrive (${DEFAULT-VALUE}).")
    private int patience = 120;

    /** Deliveries a second to one subscription, of the hub that has no other. */
    private double reference;

    @Override
    protected void measure() throws Exception {
        count = output.size(count, 20);
        Map<Integer, Turn> turns = new LinkedHashMap<>();
        for (int size : counts()) {
            turns.put(size, measure(size));
        }
        report(new Costs(turns, reference));
    }

    private int[] counts() {
        return IntStream.concat(
                        COUNTS.stream().mapToInt(Integer::intValue).filter(each -> each < count), IntStream.of(count))
                .filter(each -> each >= least)
                .toArray();
    }

    private Turn measure(int size) throws Exception {
        output.progress("%,d subscriptions: starting a hub", size);
        try (CrowdedHub hub = new CrowdedHub(size, Duration.ofSeconds(patience))) {
            try {
                return measure(hub, size);
            } catch (Exception e) {
                output.progress("The hub's log:%n%s", ChildJvm.log(hub.log()));
                throw e;
            }
        }
    }

    private Turn measure(CrowdedHub hub, int size) throws Exception {
        Turn all = told(size, "making", new Making(hub, output).measure());
        for (Part part : Part.values()) {
            if (only.contains(part)) {
                all = all.and(told(size, part.label(), part(part, hub)));
            }
        }
        return all;
    }

    private Turn told(int size, String part, Turn turn) {
        output.progress("%,d subscriptions, %s: %s", size, part, turn);
        return turn;
    }

    private Turn part(Part part, CrowdedHub hub) throws Exception {
        return switch (part) {
            case IDLE -> new Idle(hub, output).measure();
            case ONE -> new OneWants(hub, output).measure();
            case ALL -> all(hub);
            case MIX -> new PacedMix(hub, output).measure();
            case START -> new StartAgain(hub).measure();
        };
    }

    private Turn all(CrowdedHub hub) throws Exception {
        if (hub.population().count() == 1) {
            reference = new Reference(hub, count, output).perSecond();
            output.progress("the reference: %,.0f deliveries/s to one subscription", reference);
        }
        return new AllWant(hub, output).measure();
    }

    private void report(Costs costs) throws IOException {
        Figures figures =
                costs.figures().put("only", only.stream().map(Part::label).toList());
        output.result("subscriptions", figures, costs.table());
    }
}
