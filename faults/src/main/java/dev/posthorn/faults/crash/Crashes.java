package dev.posthorn.faults.crash;

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
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A PostgreSQL that is killed while applications write and relays deliver. Now it comes back with what was on its disk, now a
 * stand-by that lagged takes over. Either way ids, numbers and commits are taken back and given out again.
 */
public final class Crashes implements AutoCloseable {

    private static final int AGGREGATES = 300;
    private static final int WRITERS = 6;
    private static final int PROCESSES = 2;
    private static final int LANES = 2;
    private static final int IN_FLIGHT_LIMIT = 60;
    private static final int DELIVERED_AGAIN = 200;
    private static final int MOST_TRIES = 50;

    /** Longer than any restart: whoever owns a lane shall go on with it, not an heir that reads the stored mark anyway. */
    private static final Duration LEASE = Duration.ofSeconds(20);

    private static final Duration TIMEOUT = Duration.ofMillis(500);

    /** Every front, and every lane that reads by itself, polls at least once in it. */
    private static final Duration SOME_POLLS = Duration.ofMillis(60);

    private static final Duration QUIET = Duration.ofMillis(400);

    private static final Duration LONGEST_SILENCE = Duration.ofMinutes(2);

    private static final String DELIVERED = """
            SELECT event_id || ' ' || subscription FROM posthorn.event_status WHERE status = 'DELIVERED'""";

    private static final String OWNERS = "SELECT count(DISTINCT s.id) FROM posthorn.lane_owner o"
            + " JOIN posthorn.session s ON s.id = o.session_id";
    private static final String UNDELIVERED = """
            SELECT count(*) FROM posthorn.event_status WHERE status <> 'DELIVERED'""";

    /**
     * How hard it is to be.
     *
     * @param strikes how they follow each other, again and again
     * @param times how many of them
     */
    public record Settings(List<CrashKind> strikes, int times, long seed) {

        public Settings {
            strikes = List.copyOf(strikes);
        }

        public static Settings allKinds(int times, long seed) {
            return new Settings(List.of(CrashKind.values()), times, seed);
        }
    }

    private final Settings settings;
    private final SplittableRandom random;
    private final Pair servers = new Pair();
    private final Database database;
    private final Tally tally = new Tally();
    private final Receiver receiver;
    private final Fleet fleet;
    private final Acknowledged acknowledged = new Acknowledged();
    private long durableMissing;
    private Duration slowestReturn = Duration.ZERO;

    public Crashes(Settings settings) throws SQLException, IOException {
        this.settings = settings;
        this.random = new SplittableRandom(settings.seed());
        this.database = Database.create(servers.primary(), AGGREGATES)
                .onEither(servers.primary().port(), servers.otherPort());
        this.receiver = new Receiver(settings.seed(), tally);
        this.fleet = RelayProcess.fleet(
                database, receiver, new RelayProcess.Settings(LANES, IN_FLIGHT_LIMIT, LEASE, TIMEOUT));
    }

    /**
     * Strikes as often as it is to, and then waits for all that is in the log.
     *
     * @param progress hears after every strike how far it is
     */
    public CrashReport run(Consumer<String> progress) throws Exception {
        long started = System.nanoTime();
        for (int i = 0; i < PROCESSES; i++) {
            fleet.start();
        }
        Load load = Load.enduring(database, WRITERS, settings.seed(), tally, acknowledged);
        Churn churn = new Churn(database, tally);
        awaitAllProcesses();
        awaitDeliveries();
        for (int i = 0; i < settings.times(); i++) {
            CrashKind strike = settings.strikes().get(i % settings.strikes().size());
            strike(strike, load, churn);
            load.check();
            progress.accept((i + 1) + " of " + settings.times() + " (" + strike + "): " + came() + " events came, "
                    + tally.of(CrashReport.IDS) + " " + CrashReport.IDS);
        }
        churn.stop();
        load.stop();
        return finish(started);
    }

    /** A relay that starts while its server dies does not start: that is no part of this. */
    private void awaitAllProcesses() throws Exception {
        Patience.until("every relay has lanes", LONGEST_SILENCE, () -> database.number(OWNERS) == PROCESSES);
    }

    private void strike(CrashKind strike, Load load, Churn churn) throws Exception {
        if (strike.isIdle()) {
            load.rest(true);
            awaitQuiet();
        }
        if (strike.isFailover()) {
            receiver.settlesAreLost(true);
            servers.lag();
        }
        awaitSomethingToTakeBack(strike, churn);
        churn.rest(strike.isIdle());
        servers.kill();
        tally.count(strike.toString());
        goOn(strike, load);
        churn.rest(false);
    }

    /** The first transactions afterwards, which get the ids of others, shall be the writers'. */
    private void goOn(CrashKind strike, Load load) throws Exception {
        long killedAt = System.nanoTime();
        receiver.settlesAreLost(false);
        fleet.alive().forEach(receiver::expectsAgain);
        load.rest(false);
        int freePort = servers.primary().port();
        if (strike.isFailover()) {
            servers.failOver();
        } else {
            servers.restart();
        }
        awaitDeliveries();
        slowestReturn = Collections.max(List.of(slowestReturn, Duration.ofNanos(System.nanoTime() - killedAt)));
        look(strike);
        if (strike.isFailover()) {
            servers.rebuild(freePort);
        }
    }

    /** Until nothing comes for a while. */
    private void awaitQuiet() throws InterruptedException {
        long giveUpAt = System.nanoTime() + LONGEST_SILENCE.toNanos();
        for (int had = -1, have = came(); had < have && System.nanoTime() < giveUpAt; have = came()) {
            had = have;
            TimeUnit.NANOSECONDS.sleep(QUIET.toNanos());
        }
    }

    private int came() {
        return RelayProcess.SUBSCRIPTIONS.stream().mapToInt(receiver::distinct).sum();
    }

    /** What settles of other lanes bring to the disk cannot be lost in a crash: then try once more. */
    private void awaitSomethingToTakeBack(CrashKind strike, Churn churn) throws SQLException, InterruptedException {
        Duration time = SOME_POLLS.plusNanos(random.nextLong(SOME_POLLS.toNanos()));
        for (int i = 0; i < MOST_TRIES && !churn.staysInMemory(time) && strike == CrashKind.IDLE_CRASH; i++) {
            tally.count("idle crashes put off");
        }
    }

    private void awaitDeliveries() throws Exception {
        int before = came();
        try {
            Patience.until("events are delivered", LONGEST_SILENCE, () -> came() >= before + DELIVERED_AGAIN);
        } catch (IllegalStateException e) {
            fleet.alive().forEach(instance -> System.err.println(instance + "\n" + fleet.log(instance)));
            throw e;
        }
    }

    /** What a stand-by never had is not PostgreSQL's promise, nor ours. */
    private void look(CrashKind strike) throws SQLException {
        Acknowledged.Missing missing = acknowledged.look(database);
        tally.add(CrashReport.UNWAITED, missing.unwaited());
        if (strike.isFailover()) {
            tally.add(CrashReport.BY_STANDBY, missing.waited());
        } else {
            durableMissing += missing.waited();
        }
    }

    private CrashReport finish(long started) throws Exception {
        durableMissing += acknowledged.look(database).waited();
        List<Change> log = database.committed();
        awaitAll();
        Map<String, Account.Result> results = RelayProcess.SUBSCRIPTIONS.stream()
                .collect(Collectors.toMap(name -> name, name -> receiver.resultOfLog(name, log)));
        results.forEach((name, result) -> tally.add(
                CrashReport.UNHAPPENED,
                receiver.distinct(name) - result.verdict().read()));
        long wronglyDelivered = wronglyDelivered();
        long undelivered = database.number(UNDELIVERED);
        boolean stopped = fleet.stop();
        return new CrashReport(
                settings.seed(),
                Duration.ofNanos(System.nanoTime() - started),
                log.size(),
                settings.times() * PROCESSES,
                IN_FLIGHT_LIMIT,
                RelayProcess.SUBSCRIPTIONS.stream().map(results::get).toList(),
                wronglyDelivered,
                undelivered,
                durableMissing,
                slowestReturn,
                stopped,
                tally);
    }

    /** Until all is said to be delivered, or nothing comes for long. */
    private void awaitAll() throws SQLException, InterruptedException {
        long lastCame = System.nanoTime();
        int had = -1;
        while (System.nanoTime() - lastCame < LONGEST_SILENCE.toNanos()) {
            int have = came();
            if (have == had && database.number(UNDELIVERED) == 0) {
                return;
            }
            if (have > had) {
                had = have;
                lastCame = System.nanoTime();
            }
            TimeUnit.SECONDS.sleep(1);
        }
    }

    private long wronglyDelivered() throws SQLException {
        return database.column(DELIVERED).stream()
                .map(line -> line.split(" ", 2))
                .filter(words -> !receiver.has(words[1], UUID.fromString(words[0])))
                .count();
    }

    @Override
    public void close() throws IOException {
        fleet.close();
        receiver.close();
        servers.close();
    }
}
