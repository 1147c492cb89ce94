package dev.posthorn.faults.hub;

import dev.posthorn.faults.Ledger;
import dev.posthorn.faults.Patience;
import dev.posthorn.faults.Tally;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * A hub on its own PostgreSQL, each of which is killed now and then while publishers go on: the hub is started again by the
 * same command, the PostgreSQL by the hub itself.
 */
public final class HubKills implements AutoCloseable {

    /** How long it may take from a start until something is acknowledged. */
    private static final Duration LONGEST_RECOVERY = Duration.ofSeconds(30);

    private static final String TIMEOUT = "500ms";
    private static final String LEASE = "2s";
    private static final int LANES = 4;

    private final long seed;
    private final SplittableRandom random;
    private final Path directory;
    private final HubProcess hub;
    private final OwnPostgres postgres;
    private final HubReceiver receiver = new HubReceiver();
    private final Tally tally = new Tally();
    private final Journal journal = new Journal(tally);
    private Duration slowestStart = Duration.ZERO;
    private Duration slowestRestart = Duration.ZERO;
    private int hubKills;
    private int postgresKills;

    public HubKills(long seed) throws IOException {
        this.seed = seed;
        this.random = new SplittableRandom(seed);
        this.directory = Files.createTempDirectory("posthorn-faults-hub-");
        this.hub = new HubProcess(directory).setting("posthorn.relay.lease-ttl", LEASE);
        this.postgres = new OwnPostgres(hub.data());
    }

    /** Kills each so many times, or for that long if that is longer. */
    public Report run(int ofEach, Duration atLeast) throws Exception {
        long started = System.nanoTime();
        hub.start();
        Calls calls = new Calls(hub);
        Patience.until("the hub is ready", () -> {
            hub.requireAlive();
            return calls.isReady();
        });
        calls.put(receiver.url("/events"), TIMEOUT, LANES);
        Publishers publishers = Publishers.start(List.of(hub), seed, journal);
        awaitAcknowledgement(System.nanoTime());
        while (hubKills < ofEach || postgresKills < ofEach || System.nanoTime() - started < atLeast.toNanos()) {
            killPostgres();
            publishers.check();
            killHub();
            publishers.check();
        }
        publishers.stop();
        return finish(started);
    }

    private void killHub() throws Exception {
        pause();
        tally.add("requests under way at kills of the hub", journal.strike(hub::kill));
        hubKills++;
        long since = System.nanoTime();
        hub.start();
        slowestStart = longer(slowestStart, awaitAcknowledgement(since));
    }

    private void killPostgres() throws Exception {
        pause();
        tally.add("requests under way at kills of PostgreSQL", journal.strike(postgres::kill));
        postgresKills++;
        slowestRestart = longer(slowestRestart, awaitAcknowledgement(System.nanoTime()));
    }

    private void pause() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(100 + random.nextInt(400));
    }

    private Duration awaitAcknowledgement(long since) throws InterruptedException {
        Duration took = journal.untilAcknowledged(since, LONGEST_RECOVERY);
        hub.requireAlive();
        if (took == null) {
            throw new IllegalStateException(
                    "nothing was acknowledged for " + LONGEST_RECOVERY + "; the hub's log:\n" + hub.log());
        }
        return took;
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    private Report finish(long started) throws Exception {
        RecordedLog log = RecordedLog.compare(postgres.dataSource(), journal.acknowledged());
        Patience.untilAllHaveCome(receiver::distinct, log.events().size());
        Ledger.Verdict verdict = receiver.verdict(log.events());
        boolean stopped = hub.stop() && postgres.isGone();
        if (!log.isClean() || !verdict.isClean() || !stopped) {
            System.err.println(hub.log());
        }
        return new Report(
                seed,
                Duration.ofNanos(System.nanoTime() - started),
                hubKills,
                postgresKills,
                slowestStart,
                slowestRestart,
                log,
                verdict,
                stopped,
                tally);
    }

    @Override
    public void close() throws IOException {
        hub.close();
        postgres.killWhatIsLeft();
        receiver.close();
        delete(directory);
    }

    static void delete(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    /**
     * What came of a run.
     *
     * @param slowestStart from the start of a killed hub to the first acknowledgement
     * @param slowestRestart from the kill of PostgreSQL to the first acknowledgement
     * @param stoppedCleanly whether the hub ended with its PostgreSQL when asked to
     */
    public record Report(
            long seed,
            Duration took,
            int hubKills,
            int postgresKills,
            Duration slowestStart,
            Duration slowestRestart,
            RecordedLog log,
            Ledger.Verdict verdict,
            boolean stoppedCleanly,
            Tally tally) {

        public boolean isClean() {
            return log.isClean() && verdict.isClean() && stoppedCleanly && tally.of("REST 503s") > 0;
        }

        @Override
        public String toString() {
            return "seed " + seed + ", " + took.toSeconds() + " s, " + hubKills + " kills of the hub, " + postgresKills
                    + " of its PostgreSQL; acknowledged again at most " + slowestStart.toMillis()
                    + " ms after the hub's start and " + slowestRestart.toMillis() + " ms after PostgreSQL's death; "
                    + tally
                    + (stoppedCleanly ? "" : "; NOT stopped cleanly") + "\n  " + log + "\n  " + verdict;
        }
    }
}
