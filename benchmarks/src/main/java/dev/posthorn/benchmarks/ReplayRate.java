package dev.posthorn.benchmarks;

import dev.posthorn.audit.Actor;
import dev.posthorn.deadletter.DeadLetterQuery;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Relay;
import dev.posthorn.relay.Subscription;
import dev.posthorn.replay.ReplayRequest;
import dev.posthorn.replay.ReplayState;
import dev.posthorn.replay.Replays;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How fast dead letters are replayed, against a drain of the same events by a subscription of the same kind. The replay
 * counts from the call that starts it until its state says that every item is accounted for.
 */
final class ReplayRate {

    private static final String REPLAYED = "replayed";

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** @param size bytes of an event's payload */
    record Sizes(int events, int size, int keys, int lanes, int workers, int rounds, int warmUps) {}

    /** What one replay took: until the call had returned, and until all was delivered and settled. */
    private record Seconds(double freeze, double all) {}

    private final Sizes sizes;
    private final ReplayTarget.Kind kind;
    private final Output output;
    private final List<Double> drained = new ArrayList<>();
    private final List<Double> replayed = new ArrayList<>();
    private final List<Double> freezes = new ArrayList<>();

    ReplayRate(Sizes sizes, ReplayTarget.Kind kind, Output output) {
        this.sizes = sizes;
        this.kind = kind;
        this.output = output;
    }

    void measure(Database database, ReplayTarget target) throws SQLException {
        drain(database, target, REPLAYED);
        for (int i = 0; i < sizes.warmUps + sizes.rounds; i++) {
            round(database, target, i - sizes.warmUps + 1);
        }
    }

    private void round(Database database, ReplayTarget target, int number) throws SQLException {
        String name = "drained-" + (number + sizes.warmUps);
        boolean drainFirst = number % 2 == 0;
        double before = drainFirst ? drain(database, target, name) : 0;
        Seconds replay = replay(database, target);
        double drain = sizes.events / (drainFirst ? before : drain(database, target, name));
        output.progress(
                "%s, %s: replay %,.0f events/s (%.2f s of it to freeze the set), drain %,.0f events/s",
                label(), number > 0 ? "round " + number : "warm-up", sizes.events / replay.all, replay.freeze, drain);
        if (number > 0) {
            drained.add(drain);
            replayed.add(sizes.events / replay.all);
            freezes.add(replay.freeze);
        }
    }

    private double drain(Database database, ReplayTarget target, String name) throws SQLException {
        database.comeToRest();
        Subscription subscription = subscription(target, name);
        double seconds = Draining.seconds(database.dataSource(), List.of(subscription), sizes.workers, sizes.events);
        target.end(name);
        return seconds;
    }

    private Subscription subscription(ReplayTarget target, String name) {
        return Subscription.to(name, target.open(name))
                .fromBeginning()
                .lanes(sizes.lanes)
                .build();
    }

    private Seconds replay(Database database, ReplayTarget target) throws SQLException {
        DeadLetters.make(database, REPLAYED, sizes.events);
        Replays replays = new Replays(database.dataSource(), SchemaName.DEFAULT);
        try (Relay relay = Relay.builder(database.dataSource())
                .workers(sizes.workers)
                .subscribe(subscription(target, REPLAYED))
                .start()) {
            Draining.awaitLanes(relay, sizes.lanes);
            long started = System.nanoTime();
            long id = replays.start(request(), Actor.named("bench")).id();
            double freeze = Figures.secondsSince(started);
            Draining.await(relay, sizes.events);
            while (replays.get(id).state() != ReplayState.FINISHED) {
                LockSupport.parkNanos(LOOK_NANOS);
            }
            double all = Figures.secondsSince(started);
            check(replays.get(id).delivered());
            return new Seconds(freeze, all);
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

    private void check(long delivered) {
        if (delivered != sizes.events) {
            throw new IllegalStateException(
                    "The replay has delivered " + delivered + " of " + sizes.events + " dead letters");
        }
    }

    String label() {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    double replayPerSecond() {
        return Figures.median(replayed);
    }

    double drainPerSecond() {
        return Figures.median(drained);
    }

    double freezeSeconds() {
        return Figures.median(freezes);
    }

    double ratio() {
        return replayPerSecond() / drainPerSecond();
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "to %s replay %,.0f events/s (%.2f s to freeze the set), drain %,.0f events/s, ratio %.3f",
                label(),
                replayPerSecond(),
                freezeSeconds(),
                drainPerSecond(),
                ratio());
    }

    Map<String, Object> figures() {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("replayPerSecond", replayPerSecond());
        figures.put("drainPerSecond", drainPerSecond());
        figures.put("rateRatio", ratio());
        figures.put("freezeSeconds", freezeSeconds());
        figures.put("replayRounds", replayed);
        figures.put("drainRounds", drained);
        figures.put("freezeRounds", freezes);
        return figures;
    }
}
