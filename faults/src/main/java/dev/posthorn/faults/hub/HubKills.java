package dev.posthorn.faults.hub;

import dev.posthorn.faults.harness.HubCalls;
import dev.posthorn.faults.harness.HubProcess;
import dev.posthorn.faults.harness.Ledger;
import dev.posthorn.faults.harness.Patience;
import dev.posthorn.faults.harness.Tally;
import dev.posthorn.testkit.OwnPostgres;
import dev.posthorn.testkit.TemporaryDirectory;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A hub on its own PostgreSQL, each of which is killed now and then while publishers go on: the hub is started again by the
 * same command, the PostgreSQL by the hub itself.
 */
public final class HubKills implements AutoCloseable {

    private static final String TIMEOUT = "500ms";
    private static final String LEASE = "2s";
    private static final int LANES = 4;

    /** From a start, or a kill of PostgreSQL, until something is acknowledged. */
    private static final Duration LONGEST_RECOVERY = Duration.ofSeconds(30);

    private final long seed;
    private final SplittableRandom random;
    private final TemporaryDirectory directory;
    private final HubProcess hub;
    private final OwnPostgres postgres;
    private final HubReceiver receiver = new HubReceiver();
    private final Tally tally = new Tally();
    private final Journal journal = new Journal(tally);
    private Duration firstStart = Duration.ZERO;
    private Duration slowestStart = Duration.ZERO;
    private Duration slowestRestart = Duration.ZERO;
    private int hubKills;
    private int postgresKills;

    public HubKills(long seed) throws IOException {
        this.seed = seed;
        this.random = new SplittableRandom(seed);
        this.directory = TemporaryDirectory.create("posthorn-faults-hub-");
        this.hub = new HubProcess(directory.path()).setting("posthorn.relay.session-ttl", LEASE);
        this.postgres = new OwnPostgres(hub.data());
    }

    /** Kills each so many times, or for that long if that is longer. */
    public Report run(int ofEach, Duration atLeast) throws Exception {
        long started = System.nanoTime();
        hub.start();
        HubCalls calls = new HubCalls(hub);
        calls.awaitReady();
        firstStart = Duration.ofNanos(System.nanoTime() - started);
        calls.put(receiver.url("/events"), TIMEOUT, LANES);
        Publishers publishers = Publishers.start(List.of(hub), Traffic.OF_ONE_TYPE, seed, journal);
        journal.untilAcknowledged(System.nanoTime(), hub);
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
        slowestStart = Collections.max(List.of(slowestStart, journal.untilAcknowledged(since, hub)));
    }

    private void killPostgres() throws Exception {
        pause();
        tally.add("requests under way at kills of PostgreSQL", journal.strike(postgres::kill));
        postgresKills++;
        Duration took = journal.untilAcknowledged(System.nanoTime(), hub);
        slowestRestart = Collections.max(List.of(slowestRestart, took));
    }

    private void pause() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(100 + random.nextInt(400));
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
                firstStart,
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
        directory.close();
    }

    /**
     * What came of a run.
     *
     * @param firstStart until the hub was ready for the first time, which tells how busy the machine is
     * @param slowestStart from the start of a killed hub to the first acknowledgement
     * @param slowestRestart from the kill of PostgreSQL to the first acknowledgement
     * @param stoppedCleanly whether the hub ended with its PostgreSQL when asked to
     */
    public record Report(
            long seed,
            Duration took,
            int hubKills,
            int postgresKills,
            Duration firstStart,
            Duration slowestStart,
            Duration slowestRestart,
            RecordedLog log,
            Ledger.Verdict verdict,
            boolean stoppedCleanly,
            Tally tally) {

        public boolean isClean() {
            return log.isClean()
                    && verdict.isClean()
                    && stoppedCleanly
                    && late().isEmpty()
                    && tally.of("REST 503s") > 0;
        }

        /** What took longer than promised. */
        public List<String> late() {
            return Stream.of(slowestStart, slowestRestart)
                    .filter(each -> each.compareTo(LONGEST_RECOVERY) > 0)
                    .map(each -> "acknowledged again after " + each + ", ready at first after " + firstStart)
                    .toList();
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
