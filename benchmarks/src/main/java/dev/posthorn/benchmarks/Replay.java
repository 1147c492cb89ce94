package dev.posthorn.benchmarks;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How fast dead letters are replayed, and whether live events notice. */
@Command(
        name = "replay",
        mixinStandardHelpOptions = true,
        description = "Replays dead letters as fast as it goes, against a drain of the same events; then the latency of"
                + " live events beside a paced replay to the same subscription, against the same without a replay.")
final class Replay implements Callable<Integer> {

    @Mixin
    private final Output output = new Output();

    @Option(names = "--events", description = "Dead letters, and events of the drain (${DEFAULT-VALUE}).")
    private int events = 100_000;

    @Option(names = "--size", description = "Bytes of an event's payload (${DEFAULT-VALUE}).")
    private int size = 500;

    @Option(names = "--keys", description = "Different keys (${DEFAULT-VALUE}).")
    private int keys = 5000;

    @Option(
            names = "--sink",
            split = ",",
            description = "Where to: http, kafka or none, which takes everything at once (${DEFAULT-VALUE}).",
            defaultValue = "http,kafka")
    private List<ReplayTarget.Kind> sinks = new ArrayList<>();

    @Option(names = "--lanes", description = "Lanes of a subscription (${DEFAULT-VALUE}).")
    private int lanes = 4;

    @Option(names = "--workers", description = "Threads with a connection (${DEFAULT-VALUE}).")
    private int workers = 2;

    @Option(names = "--rounds", description = "Rounds of which the median counts, 0: no rates (${DEFAULT-VALUE}).")
    private int rounds = 5;

    @Option(names = "--warm-ups", description = "Rounds before (${DEFAULT-VALUE}).")
    private int warmUps = 3;

    @Option(names = "--live-rate", description = "Live events per second (${DEFAULT-VALUE}).")
    private int liveRate = 500;

    @Option(names = "--replay-rate", description = "Replayed events per second beside them (${DEFAULT-VALUE}).")
    private int replayRate = 500;

    @Option(names = "--seconds", description = "How long live events are measured in a phase (${DEFAULT-VALUE}).")
    private int seconds = 15;

    @Option(names = "--phases", description = "Phases of each sort, 0: no live events (${DEFAULT-VALUE}).")
    private int phases = 5;

    @Override
    public Integer call() throws IOException, SQLException, InterruptedException {
        List<ReplayRate> rates = new ArrayList<>();
        ReplayBesideLive live = new ReplayBesideLive(liveSizes(), output);
        try (Server server = Server.start()) {
            for (ReplayTarget.Kind kind : rounds > 0 ? sinks : List.<ReplayTarget.Kind>of()) {
                rates.add(rate(server, kind));
            }
            if (phases > 0) {
                live.measure(server);
            }
        }
        report(rates, live);
        return 0;
    }

    private ReplayRate.Sizes rateSizes() {
        return new ReplayRate.Sizes(
                output.size(events, 2000), size, keys, lanes, workers, output.size(rounds, 1), output.size(warmUps, 0));
    }

    private ReplayBesideLive.Sizes liveSizes() {
        return new ReplayBesideLive.Sizes(
                size,
                keys,
                lanes,
                workers,
                liveRate,
                replayRate,
                output.size(seconds, 1),
                output.size(5, 1),
                output.size(phases, 1));
    }

    private ReplayRate rate(Server server, ReplayTarget.Kind kind) throws IOException, SQLException {
        ReplayRate.Sizes sizes = rateSizes();
        ReplayRate rate = new ReplayRate(sizes, kind, output);
        Database database = server.create("replay");
        database.record(sizes.events(), new SampleEvents(1, size, keys));
        try (ReplayTarget target = kind.start()) {
            rate.measure(database, target);
        }
        server.drop("replay");
        return rate;
    }

    private void report(List<ReplayRate> rates, ReplayBesideLive live) throws IOException {
        Map<String, Object> figures = new LinkedHashMap<>();
        StringJoiner text = new StringJoiner("; ");
        for (ReplayRate rate : rates) {
            figures.put(rate.label(), rate.figures());
            text.add(rate.toString());
        }
        if (phases > 0) {
            figures.put("live", live.figures());
            text.add(live.toString());
        }
        figures.put("events", rateSizes().events());
        figures.put("payloadBytes", size);
        figures.put("keys", keys);
        figures.put("lanes", lanes);
        figures.put("workers", workers);
        double ratio = rates.stream().mapToDouble(ReplayRate::ratio).min().orElse(0);
        output.result(new Result("replay", ratio, figures), "%s", text);
    }
}
