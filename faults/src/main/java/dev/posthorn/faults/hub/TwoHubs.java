package dev.posthorn.faults.hub;

import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.faults.harness.HubCalls;
import dev.posthorn.faults.harness.HubProcess;
import dev.posthorn.faults.harness.Ledger;
import dev.posthorn.faults.harness.Patience;
import dev.posthorn.faults.harness.Tally;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Two hubs on a PostgreSQL that is neither's own. It is stopped, killed and started, and then one of the hubs is killed. */
public final class TwoHubs implements AutoCloseable {

    private static final Duration LEASE = Duration.ofSeconds(5);

    private static final Duration CHANGE_IS_WATCHED = Duration.ofSeconds(2);

    private static final Duration LONGEST_CHANGE = Duration.ofSeconds(1);
    private static final Duration LONGEST_TAKE_OVER = LEASE.plusSeconds(1);

    private static final String TIMEOUT = "1s";
    private static final int LANES = 4;

    private final long seed;
    private final HubPair hubs = new HubPair(LEASE);
    private final HubProcess survivor = hubs.survivor();
    private final HubProcess victim = hubs.victim();
    private final EmbeddedPostgres postgres = hubs.postgres();
    private final HubReceiver receiver = new HubReceiver();
    private final Tally tally = new Tally();
    private final Journal journal = new Journal(tally);

    public TwoHubs(long seed) throws IOException {
        this.seed = seed;
    }

    public Report run() throws Exception {
        hubs.start();
        HubCalls calls = new HubCalls(survivor);
        HubCalls others = new HubCalls(victim);
        calls.put(receiver.url("/before"), TIMEOUT, LANES);
        Duration shared = Patience.until("both own lanes", () -> haveBoth(others.owners()));
        Publishers publishers = Publishers.start(hubs.both(), Traffic.OF_ONE_TYPE, seed, journal);
        Duration changed = change(others);
        Duration restart = restart();
        Duration crash = crash();
        publishers.check();
        Patience.until("both own lanes again", () -> haveBoth(others.owners()));
        Patience.until("a hub has renewed its lease", () -> hubs.freshLanesOfVictim() > 0);
        Duration takenOver = kill();
        publishers.stop();
        return finish(shared, changed, restart, crash, takenOver);
    }

    private static boolean haveBoth(Set<String> owners) {
        return owners.equals(Set.of("survivor", "victim"));
    }

    /** How long after the answer something still came by the settings of before. All lanes have events all the time. */
    private Duration change(HubCalls at) throws Exception {
        Patience.until("something comes", () -> receiver.lastAt("/before") > 0);
        at.put(receiver.url("/after"), TIMEOUT, LANES);
        long answered = System.nanoTime();
        Patience.until("something comes by the changed settings", () -> receiver.lastAt("/after") > answered);
        TimeUnit.NANOSECONDS.sleep(CHANGE_IS_WATCHED.toNanos());
        return Duration.ofNanos(Math.max(0, receiver.lastAt("/before") - answered));
    }

    private Duration restart() throws Exception {
        tally.add("requests under way at the stop of PostgreSQL", journal.strike(postgres::stop));
        postgres.start();
        return journal.untilAcknowledged(System.nanoTime(), survivor);
    }

    private Duration crash() throws Exception {
        tally.add("requests under way at the kill of PostgreSQL", journal.strike(postgres::kill));
        postgres.start();
        return journal.untilAcknowledged(System.nanoTime(), survivor);
    }

    private Duration kill() throws Exception {
        tally.add("requests under way at the kill of a hub", journal.strike(victim::kill));
        return Patience.until("the other hub owns every lane", () -> hubs.lanesOfSurvivor() == LANES);
    }

    private Report finish(Duration shared, Duration changed, Duration restart, Duration crash, Duration takenOver)
            throws Exception {
        RecordedLog log = RecordedLog.compare(postgres.dataSource(), journal.acknowledged());
        Patience.untilAllHaveCome(receiver::distinct, log.events().size());
        Ledger.Verdict verdict = receiver.verdict(log.events());
        boolean stopped = survivor.stop();
        if (!log.isClean() || !verdict.isClean() || !stopped) {
            System.err.println(survivor.log());
        }
        return new Report(seed, shared, changed, restart, crash, takenOver, log, verdict, stopped, tally);
    }

    @Override
    public void close() throws IOException {
        hubs.close();
        receiver.close();
    }

    /**
     * What came of a run.
     *
     * @param shared from the subscription's creation until both owned lanes
     * @param changed for how long after the answer to a change at one hub something was still sent as before
     * @param restart from the restart of PostgreSQL to the first acknowledgement
     * @param crash the same after a kill
     * @param takenOver from the kill of a hub until the other one owned every lane
     */
    public record Report(
            long seed,
            Duration shared,
            Duration changed,
            Duration restart,
            Duration crash,
            Duration takenOver,
            RecordedLog log,
            Ledger.Verdict verdict,
            boolean stoppedCleanly,
            Tally tally) {

        public boolean isClean() {
            return log.isClean() && verdict.isClean() && stoppedCleanly && late().isEmpty();
        }

        /** What took longer than promised. */
        public List<String> late() {
            List<String> late = new ArrayList<>();
            if (changed.compareTo(LONGEST_CHANGE) > 0) {
                late.add("something was sent by the former settings " + changed + " after their change");
            }
            if (takenOver.compareTo(LONGEST_TAKE_OVER) > 0) {
                late.add("lanes of the killed hub were taken over after " + takenOver);
            }
            return late;
        }

        @Override
        public String toString() {
            return "seed " + seed + ", lanes shared after " + shared.toMillis() + " ms, a change in force after "
                    + changed.toMillis() + " ms, acknowledged again " + restart.toMillis()
                    + " ms after PostgreSQL's restart and "
                    + crash.toMillis() + " ms after its start from a kill, lanes of the killed hub taken over after "
                    + takenOver.toMillis() + " ms of at most "
                    + LONGEST_TAKE_OVER.toMillis() + "; " + tally
                    + (stoppedCleanly ? "" : "; NOT stopped cleanly") + "\n  " + log + "\n  " + verdict;
        }
    }
}
