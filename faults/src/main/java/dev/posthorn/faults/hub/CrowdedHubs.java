package dev.posthorn.faults.hub;

import dev.posthorn.faults.harness.Change;
import dev.posthorn.faults.harness.HubCalls;
import dev.posthorn.faults.harness.Ledger;
import dev.posthorn.faults.harness.Patience;
import dev.posthorn.faults.harness.Tally;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Two hubs that share the lanes of many subscriptions; one is killed while publishers go on. */
public final class CrowdedHubs implements AutoCloseable {

    /** What a machine can keep up with: one that cannot serves nobody in time, whoever has taken over from whom. */
    public static final String USUAL_THINKING = "5";

    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration LONGEST_TAKE_OVER = LEASE.plusSeconds(3);

    /** Half of 40,000 lanes, at most 500 a second. */
    private static final Duration LONGEST_SHARING = Duration.ofMinutes(3);

    private static final int LANES = 4;

    /** As docs/scale.md says for thousands of subscriptions and little memory. */
    private static final String[] JAVA = {"-Xmx512m", "-XX:+UseParallelGC"};

    private final long seed;
    private final ManySubscriptions crowd;
    private final HubPair hubs = new HubPair(LEASE);
    private final CrowdReceiver receiver;
    private final Tally tally = new Tally();
    private final Journal journal = new Journal(tally);

    /** @param thinking how many times as long publishers think as would keep the whole machine busy */
    public CrowdedHubs(int subscriptions, int thinking, long seed) throws IOException {
        this.seed = seed;
        this.crowd = new ManySubscriptions(subscriptions, thinking);
        this.receiver = new CrowdReceiver(subscriptions);
        hubs.both().forEach(hub -> hub.java(JAVA));
    }

    public Report run() throws Exception {
        hubs.start();
        HubCalls calls = new HubCalls(hubs.survivor());
        for (String document : crowd.documents(receiver::url)) {
            calls.create(document);
        }
        long half = (long) crowd.count() * LANES / 2;
        Duration shared = Patience.until(
                "each owns half of the lanes",
                LONGEST_SHARING,
                () -> hubs.lanesOfSurvivor() == half && hubs.freshLanesOfVictim() == half);
        Publishers publishers = Publishers.start(hubs.both(), crowd, seed, journal);
        Patience.until("most subscriptions have got something", () -> receiver.arrived() > crowd.count() / 2);
        tally.add("requests under way at the kill of a hub", journal.strike(hubs.victim()::kill));
        long killed = System.nanoTime();
        publishForAll(calls);
        Patience.until("the other hub owns every lane", () -> hubs.lanesOfSurvivor() == 2 * half);
        Duration takenOver = Duration.ofNanos(System.nanoTime() - killed);
        Patience.until("all have got the event for all", () -> receiver.haveOneForAll() == crowd.count());
        Duration served = Duration.ofNanos(System.nanoTime() - killed);
        publishers.stop();
        return finish(shared, takenOver, served);
    }

    private void publishForAll(HubCalls calls) throws IOException, InterruptedException {
        Change change = new Change(UUID.randomUUID(), ManySubscriptions.keyForAll(), 1);
        calls.publish(RestPublisher.json(change, crowd));
        journal.acknowledged(List.of(change), System.nanoTime());
    }

    private Report finish(Duration shared, Duration takenOver, Duration served) throws Exception {
        RecordedLog log = RecordedLog.compare(hubs.postgres().dataSource(), journal.acknowledged());
        IntFunction<List<Change>> shares = crowd.shares(log.events());
        int wanted = IntStream.range(0, crowd.count())
                .map(i -> shares.apply(i).size())
                .sum();
        Patience.untilAllHaveCome(receiver::arrived, wanted);
        Ledger.Verdict verdict = receiver.verdict(shares);
        boolean stopped = hubs.survivor().stop();
        if (!log.isClean() || !verdict.isClean() || !stopped) {
            System.err.println(hubs.survivor().log());
        }
        return new Report(seed, crowd.count(), shared, takenOver, served, log, verdict, stopped, tally);
    }

    @Override
    public void close() throws IOException {
        hubs.close();
        receiver.close();
    }

    /**
     * What came of a run.
     *
     * @param shared from the making of the subscriptions until each hub owned half of the lanes
     * @param takenOver from the kill of a hub until the other one owned every lane
     * @param served from the kill until an event that was published right after it had come to every subscription
     */
    public record Report(
            long seed,
            int subscriptions,
            Duration shared,
            Duration takenOver,
            Duration served,
            RecordedLog log,
            Ledger.Verdict verdict,
            boolean stoppedCleanly,
            Tally tally) {

        public boolean isClean() {
            return log.isClean() && verdict.isClean() && stoppedCleanly && late().isEmpty();
        }

        /** What took longer than promised. */
        public List<String> late() {
            return Stream.of(served)
                    .filter(each -> each.compareTo(LONGEST_TAKE_OVER) > 0)
                    .map(each ->
                            "lanes of the killed hub were taken over after " + takenOver + ", and served after " + each)
                    .toList();
        }

        @Override
        public String toString() {
            return "seed " + seed + ", " + subscriptions + " subscriptions, lanes shared after " + shared.toMillis()
                    + " ms, lanes of the killed hub taken over after " + takenOver.toMillis() + " ms and served after "
                    + served.toMillis() + " ms of at most " + LONGEST_TAKE_OVER.toMillis() + "; " + tally
                    + (stoppedCleanly ? "" : "; NOT stopped cleanly") + "\n  " + log + "\n  " + verdict;
        }
    }
}
