package dev.posthorn.benchmarks.replay;

import dev.posthorn.audit.Actor;
import dev.posthorn.benchmarks.harness.Comparison;
import dev.posthorn.benchmarks.harness.Figures;
import dev.posthorn.benchmarks.harness.Output;
import dev.posthorn.benchmarks.harness.Patience;
import dev.posthorn.benchmarks.harness.Rounds;
import dev.posthorn.benchmarks.harness.Side;
import dev.posthorn.benchmarks.harness.Stopwatch;
import dev.posthorn.benchmarks.harness.Turn;
import dev.posthorn.benchmarks.testbed.Database;
import dev.posthorn.benchmarks.testbed.Draining;
import dev.posthorn.benchmarks.testbed.Server;
import dev.posthorn.deadletter.DeadLetterQuery;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Relay;
import dev.posthorn.replay.ReplayRequest;
import dev.posthorn.replay.ReplayState;
import dev.posthorn.replay.Replays;
import dev.posthorn.sink.Sink;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * How fast dead letters are replayed, against a drain of the same events by a subscription of the same kind. The replay
 * counts from the call that starts it until its state says that every item is accounted for.
 */
final class ReplayRate {

    private static final String REPLAYED = "replayed";
    private static final String FREEZE = "freezeSeconds";

    private static final Duration LOOK = Duration.ofMillis(5);

    @Mixin
    private final Rounds rounds = new Rounds(5, 3);

    @Option(names = "--events", description = "Dead letters, and events of the drain (${DEFAULT-VALUE}).")
    private int events = 100_000;

    boolean isWanted() {
        return rounds.counted() > 0;
    }

    int events(Output output) {
        return output.size(events, 2000);
    }

    /** What came of one kind of sink. */
    record ReplayRates(String sink, Side replay, Side drain) {

        double ratio() {
            return replay.ratio(drain);
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "to %s replay %,.0f events/s (%.2f s to freeze the set), drain %,.0f events/s, ratio %.3f",
                    sink,
                    replay.perSecond(),
                    replay.median(FREEZE),
                    drain.perSecond(),
                    ratio());
        }

        Figures figures() {
            return new Figures()
                    .rates(replay, drain)
                    .put("rateRatio", ratio())
                    .put(FREEZE, replay.median(FREEZE))
                    .put("freezeRounds", replay.turns(FREEZE));
        }
    }

    ReplayRates measure(Server server, ReplayTarget.Kind kind, ReplaySetup setup, Output output) throws Exception {
        String sink = kind.name().toLowerCase(Locale.ROOT);
        Database database = server.create("replay");
        int count = events(output);
        database.record(count, setup.samples(1)::next);
        Comparison comparison = new Comparison("to " + sink, output, rounds);
        try (ReplayTarget target = kind.start()) {
            drain(database, target, setup, REPLAYED, count);
            Side drain = comparison.side("drain", round -> drain(database, target, setup, "drained-" + round, count));
            Side replay = comparison.side("replay", round -> replay(database, target, setup, count));
            comparison.run();
            server.drop("replay");
            return new ReplayRates(sink, replay, drain);
        }
    }

    private static Turn drain(Database database, ReplayTarget target, ReplaySetup setup, String name, int count)
            throws SQLException {
        database.comeToRest();
        Sink sink = target.open(name);
        Stopwatch watch = new Stopwatch();
        try (Relay relay = setup.start(database, name, sink)) {
            Draining.await(relay, count);
            return watch.perSecond(count);
        } finally {
            target.end(name);
        }
    }

    private static Turn replay(Database database, ReplayTarget target, ReplaySetup setup, int count) throws Exception {
        DeadLetters.make(database, REPLAYED, count);
        Replays replays = new Replays(database.dataSource(), SchemaName.DEFAULT);
        try (Relay relay = setup.start(database, REPLAYED, target.open(REPLAYED))) {
            Patience.until(
                    LOOK, () -> "The relay lacks lanes", () -> relay.lanes().size() >= setup.lanes());
            Stopwatch watch = new Stopwatch();
            long id = replays.start(request(), Actor.named("bench")).id();
            double freeze = watch.seconds();
            Draining.await(relay, count);
            Patience.until(
                    LOOK,
                    () -> "The replay has not finished",
                    () -> replays.get(id).state() == ReplayState.FINISHED);
            Turn turn = watch.perSecond(count).and(FREEZE, freeze);
            requireAll(replays.get(id).delivered(), count);
            return turn;
        } finally {
            target.end(REPLAYED);
        }
    }

    private static ReplayRequest request() {
        return ReplayRequest.ofQuery(
                        DeadLetterQuery.builder().subscription(REPLAYED).build())
                .reason("to see how fast it goes")
                .build();
    }

    private static void requireAll(long delivered, int count) {
        if (delivered != count) {
            throw new IllegalStateException("The replay has delivered " + delivered + " of " + count + " dead letters");
        }
    }
}
