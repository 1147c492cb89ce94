package dev.posthorn.benchmarks.replay;

import dev.posthorn.benchmarks.harness.Benchmark;
import dev.posthorn.benchmarks.harness.Figures;
import dev.posthorn.benchmarks.testbed.Server;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How fast dead letters are replayed, and whether live events notice. */
@Command(
        name = "replay",
        description = "Replays dead letters as fast as it goes, against a drain of the same events; then the latency of"
                + " live events beside a paced replay to the same subscription, against the same without a replay."
                + " --rounds 0 leaves out the rates, --phases 0 the live events.")
public final class Replay extends Benchmark {

    @Mixin
    private final ReplaySetup setup = new ReplaySetup();

    @Mixin
    private final ReplayRate rate = new ReplayRate();

    @Mixin
    private final ReplayBesideLive live = new ReplayBesideLive();

    @Option(
            names = "--sink",
            split = ",",
            description = "Where to: http, kafka or none, which takes everything at once (${DEFAULT-VALUE}).",
            defaultValue = "http,kafka")
    private List<ReplayTarget.Kind> sinks = new ArrayList<>();

    @Override
    protected void measure() throws Exception {
        Figures figures = new Figures();
        StringJoiner text = new StringJoiner("; ");
        double ratio = Double.MAX_VALUE;
        try (Server server = Server.start()) {
            for (ReplayTarget.Kind kind : rate.isWanted() ? sinks : List.<ReplayTarget.Kind>of()) {
                ReplayRate.ReplayRates rates = rate.measure(server, kind, setup, output);
                figures.put(rates.sink(), rates.figures());
                text.add(rates.toString());
                ratio = Math.min(ratio, rates.ratio());
            }
            if (live.isWanted()) {
                ReplayBesideLive.LivePhases phases = live.measure(server, setup, output);
                figures.put("live", live.figures(phases));
                text.add(phases.toString());
            }
        }
        figures.put("events", rate.events(output)).putAll(setup.figures());
        output.result("replay", ratio == Double.MAX_VALUE ? 0 : ratio, figures, "%s", text);
    }
}
