package dev.posthorn.faults.kill;

import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.faults.delivery.Account;
import dev.posthorn.faults.delivery.Receiver;
import dev.posthorn.faults.delivery.RelayProcess;
import dev.posthorn.faults.harness.Change;
import dev.posthorn.faults.harness.Database;
import dev.posthorn.faults.harness.Fleet;
import dev.posthorn.faults.harness.Patience;
import dev.posthorn.faults.harness.Tally;
import dev.posthorn.faults.load.Load;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Relay processes that are killed or frozen while an application goes on writing. */
public final class Relays implements AutoCloseable {

    private static final int AGGREGATES = 300;
    private static final int WRITERS = 6;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** The lease is as short as it may be for this timeout. */
    private static final RelayProcess.Settings SETTINGS =
            new RelayProcess.Settings(8, 60, Duration.ofSeconds(2), Duration.ofMillis(500));

    private final long seed;
    private final SplittableRandom random;
    private final Database database;
    private final Receiver receiver;
    private final Fleet fleet;
    private final Tally tally = new Tally();
    private final List<String> struck = new ArrayList<>();
    private int turn;

    public Relays(EmbeddedPostgres server, long seed) throws SQLException, IOException {
        this.seed = seed;
        this.random = new SplittableRandom(seed);
        this.database = Database.create(server, AGGREGATES);
        this.turn = random.nextInt(RelayProcess.SUBSCRIPTIONS.size());
        this.receiver = new Receiver(seed, tally);
        this.fleet = RelayProcess.fleet(database, receiver, SETTINGS);
    }

    /** Kills so many, or for that long if that is longer, each while it had events in flight. */
    public Report kill(int kills, Duration atLeast) throws Exception {
        long started = System.nanoTime();
        MarkWatch marks = MarkWatch.start(database);
        Load load = Load.ordinary(database, WRITERS, seed, tally);
        for (int i = 0; i < 3; i++) {
            fleet.start();
        }
        while (struck.size() < kills || System.nanoTime() - started < atLeast.toNanos()) {
            killOne();
            load.check();
        }
        return finish(started, load, marks);
    }

    private void killOne() throws IOException, InterruptedException {
        strike(fleet.alive(), "at kills", fleet::kill);
        fleet.start();
        TimeUnit.MILLISECONDS.sleep(400 + random.nextInt(400));
    }

    /** The subscriptions take turns in being the one that has events in flight. */
    private void strike(List<String> candidates, String when, Receiver.Strike how)
            throws IOException, InterruptedException {
        String subscription = RelayProcess.SUBSCRIPTIONS.get(turn++ % RelayProcess.SUBSCRIPTIONS.size());
        Receiver.Struck hit = receiver.strikeInFlight(candidates, subscription, PATIENCE, how);
        if (hit == null) {
            throw new IllegalStateException(
                    "nothing of " + candidates + " for " + subscription + " was in flight for " + PATIENCE);
        }
        struck.add(hit.instance());
        tally.add(subscription + " in flight " + when, hit.inFlight());
    }

    /** Freezes one until another has taken over its lanes and gone on, then thaws it, so many times. */
    public Report freeze(int times, Duration atLeast) throws Exception {
        long started = System.nanoTime();
        MarkWatch marks = MarkWatch.start(database);
        Load load = Load.ordinary(database, WRITERS, seed, tally);
        String one = fleet.start();
        String other = fleet.start();
        for (int i = 0; i < times || System.nanoTime() - started < atLeast.toNanos(); i++) {
            freezeAndThaw(i % 2 == 0 ? one : other, i % 2 == 0 ? other : one);
            load.check();
        }
        return finish(started, load, marks);
    }

    private void freezeAndThaw(String victim, String heir) throws Exception {
        int lanes = SETTINGS.lanes() * RelayProcess.SUBSCRIPTIONS.size();
        Patience.until(
                "both have lanes",
                () -> lanesOf(victim) > 0 && lanesOf(heir) > 0 && lanesOf(heir) + lanesOf(victim) == lanes);
        int lostBefore = lanesLost(victim);
        strike(List.of(victim), "at freezes", fleet::freeze);
        Patience.until(heir + " has taken over every lane", () -> lanesOf(heir) == lanes);
        int then = receiver.receivedFrom(heir);
        Patience.until(heir + " delivers", () -> receiver.receivedFrom(heir) > then + 200);
        receiver.expectsAgain(victim);
        fleet.thaw(victim);
        Patience.until(victim + " notices that its lanes are lost", () -> lanesLost(victim) > lostBefore);
        tally.add("lanes lost by the frozen", lanesLost(victim) - lostBefore);
    }

    private int lanesLost(String instance) {
        return fleet.log(instance).split("its lease is lost", -1).length - 1;
    }

    private int lanesOf(String instance) throws SQLException {
        return database.column(
                        "SELECT lane_id FROM posthorn.lane_owner o JOIN posthorn.session s ON s.id = o.session_id"
                                + " WHERE s.expires_at > clock_timestamp() AND s.instance = '" + instance + "'")
                .size();
    }

    private Report finish(long started, Load load, MarkWatch marks) throws Exception {
        load.stop();
        List<Change> committed = database.committed();
        for (String subscription : RelayProcess.SUBSCRIPTIONS) {
            awaitAll(subscription, committed.size());
        }
        boolean clean = fleet.stop();
        List<String> backwards = marks.stop();
        List<Account.Result> results = RelayProcess.SUBSCRIPTIONS.stream()
                .map(subscription -> receiver.result(subscription, committed))
                .toList();
        Duration took = Duration.ofNanos(System.nanoTime() - started);
        return new Report(seed, took, committed.size(), struck.size(), results, backwards, clean, tally);
    }

    private void awaitAll(String subscription, int events) throws InterruptedException {
        Patience.untilAllHaveCome(() -> receiver.distinct(subscription), events);
        if (receiver.distinct(subscription) < events) {
            fleet.alive().forEach(instance -> System.err.println(instance + "\n" + fleet.log(instance)));
        }
    }

    @Override
    public void close() throws IOException {
        fleet.close();
        receiver.close();
    }

    /**
     * What came of a run.
     *
     * @param struck processes killed or frozen while they had events in flight
     * @param results of each subscription
     * @param backwards marks that lost ground
     * @param stoppedCleanly whether the survivors ended by themselves when asked to
     */
    public record Report(
            long seed,
            Duration took,
            int committed,
            int struck,
            List<Account.Result> results,
            List<String> backwards,
            boolean stoppedCleanly,
            Tally tally) {

        public Report {
            results = List.copyOf(results);
            backwards = List.copyOf(backwards);
        }

        /** The most duplicates that one struck process may cause. */
        public int inFlightLimit() {
            return SETTINGS.inFlightLimit();
        }

        public Account.Result result(String subscription) {
            return results.get(RelayProcess.SUBSCRIPTIONS.indexOf(subscription));
        }

        public boolean isClean() {
            return backwards.isEmpty()
                    && stoppedCleanly
                    && results.stream().allMatch(each -> each.isClean(struck, inFlightLimit()));
        }

        @Override
        public String toString() {
            return "seed " + seed + ", " + took.toSeconds() + " s, " + struck + " struck with events in flight, "
                    + committed + " events committed, at most " + inFlightLimit() + " in flight; " + tally
                    + (stoppedCleanly ? "" : "; NOT stopped cleanly")
                    + (backwards.isEmpty() ? "" : "; marks went BACKWARDS: " + backwards)
                    + results.stream().map(each -> "\n  " + each).collect(Collectors.joining());
        }
    }
}
