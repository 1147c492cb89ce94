package dev.posthorn.faults.proof;

import dev.posthorn.embedded.kafka.EmbeddedKafka;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.faults.harness.Crew;
import dev.posthorn.faults.harness.Database;
import dev.posthorn.faults.harness.Fleet;
import dev.posthorn.faults.harness.Ledger;
import dev.posthorn.faults.harness.Patience;
import dev.posthorn.faults.harness.Tally;
import dev.posthorn.relay.Relay;
import dev.posthorn.subscription.Subscription;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Events come to a consumer group whose members join, leave and are killed all the time. An application records them, a
 * relay delivers them to Kafka, and every member handles what it has through the inbox.
 */
public final class RebalanceStorm implements AutoCloseable {

    private static final String TOPIC = "storm";
    private static final int PARTITIONS = 12;
    private static final int KEYS = 500;
    private static final int IN_A_TRANSACTION = 100;
    private static final int LONGEST_PAUSE_MILLIS = 700;
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(1);
    private static final Duration LONGEST_WITHOUT_ACT = Duration.ofMinutes(4);
    private static final Duration FOR_A_STRIKE = Duration.ofSeconds(3);

    /** What a tally counts: those of members that were killed are not known. */
    static final String DUPLICATES = "duplicates known to those who left";

    /** Keys that more than one member had. */
    private static final String MOVED = """
            SELECT count(*) FROM (SELECT FROM effect GROUP BY key HAVING count(DISTINCT member) > 1) AS moved""";

    /**
     * How hard it is to be.
     *
     * @param records events
     * @param members at a time, at most
     * @param time over which the events are recorded, at least
     */
    public record Settings(int records, int members, Duration time, long seed) {

        /** How many members leave or are killed. */
        int strikes() {
            return (int) Math.max(6, time.dividedBy(FOR_A_STRIKE));
        }
    }

    private final Settings settings;
    private final SplittableRandom random;
    private final Database database;
    private final Fleet fleet;
    private final Relay relay;
    private final Crew crew = new Crew();
    private final Tally tally = new Tally();
    private final AtomicInteger recorded = new AtomicInteger();
    private final AtomicInteger strikes = new AtomicInteger();
    private long lastActAt = System.nanoTime();
    private boolean nextIsKill;
    private boolean stoppedCleanly = true;

    public RebalanceStorm(EmbeddedPostgres server, EmbeddedKafka kafka, Settings settings)
            throws SQLException, IOException {
        this.settings = settings;
        this.random = new SplittableRandom(settings.seed());
        this.database = Database.create(server, KEYS);
        Effects.createTable(database);
        kafka.createTopic(TOPIC, PARTITIONS);
        this.fleet = new Fleet(
                database,
                Member.class,
                "member",
                List.of(kafka.bootstrapServers(), TOPIC, Long.toString(settings.seed())));
        this.relay = Relay.builder(database.dataSource())
                .subscribe(Subscription.to(TOPIC, Topics.sink(kafka.bootstrapServers(), TOPIC))
                        .lanes(4)
                        .fromBeginning()
                        .build())
                .start();
    }

    public Report run() throws Exception {
        long started = System.nanoTime();
        crew.start("application", this::record);
        while (recorded.get() < settings.records()) {
            act();
            pause();
            crew.check();
            requireActs();
        }
        crew.join();
        Patience.untilAllHaveCome(() -> Effects.events(database), settings.records());
        for (String member : fleet.alive()) {
            leave(member);
        }
        return report(started);
    }

    /**
     * Some with every strike, at its beginning, so that there is something to strike at. With none, because the next
     * member is slow to come, it waits.
     */
    private void record() throws SQLException, InterruptedException {
        long started = System.nanoTime();
        SplittableRandom keys = new SplittableRandom(settings.seed());
        double nanosForEach = (double) settings.time().toNanos() / settings.records();
        try (Changes changes = new Changes(database)) {
            for (int done = 0; done < settings.records(); done = recorded.get()) {
                int some = Math.min(IN_A_TRANSACTION, allowed() - done);
                if (some > 0) {
                    changes.of(keys.ints(some, 0, KEYS).boxed().toList());
                }
                long due = started + (long) (recorded.addAndGet(some) * nanosForEach);
                TimeUnit.NANOSECONDS.sleep(Math.max(SHORTEST_PAUSE.toNanos(), due - System.nanoTime()));
            }
        }
    }

    private int allowed() {
        return (int) ((long) settings.records() * (strikes.get() + 1) / (settings.strikes() + 1));
    }

    /** One joins, if there is room, or one that has partitions goes while another one has some too. */
    private void act() throws IOException, InterruptedException {
        List<String> having = fleet.alive().stream().filter(this::hasPartitions).toList();
        boolean room = fleet.alive().size() < settings.members();
        if (room && (having.size() < 2 || random.nextBoolean())) {
            join();
        } else if (having.size() > 1 && strikes.get() < settings.strikes()) {
            strikes.incrementAndGet();
            pause();
            strike(having.get(random.nextInt(having.size())));
        }
    }

    private void requireActs() {
        if (System.nanoTime() - lastActAt > LONGEST_WITHOUT_ACT.toNanos()) {
            String member = fleet.alive().get(fleet.alive().size() - 1);
            throw new IllegalStateException("for " + LONGEST_WITHOUT_ACT + " there were no two members with partitions"
                    + "; the log of " + member + ":\n" + fleet.log(member));
        }
    }

    private void pause() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(random.nextInt(LONGEST_PAUSE_MILLIS));
    }

    /** Of every two strikes one is a kill. */
    private void strike(String member) throws IOException, InterruptedException {
        lastActAt = System.nanoTime();
        nextIsKill = strikes.get() % 2 == 1 ? random.nextBoolean() : !nextIsKill;
        if (nextIsKill) {
            tally.count("killed");
            fleet.kill(member);
        } else {
            tally.count("left");
            leave(member);
        }
    }

    private void join() throws IOException {
        lastActAt = System.nanoTime();
        tally.count("joined");
        fleet.start();
    }

    private void leave(String member) throws IOException, InterruptedException {
        boolean clean = fleet.stop(member);
        String log = fleet.log(member);
        if (!clean) {
            System.err.println(member + " did not leave cleanly; its log:\n" + log);
        }
        stoppedCleanly &= clean;
        log.lines()
                .filter(line -> line.startsWith(Member.DUPLICATES))
                .forEach(line -> tally.add(DUPLICATES, Long.parseLong(line.substring(Member.DUPLICATES.length()))));
    }

    private boolean hasPartitions(String member) {
        return fleet.log(member).contains(Member.HAS_PARTITIONS);
    }

    private Report report(long started) throws SQLException {
        Ledger.Verdict verdict = Effects.verdict(database, Member.CONSUMER, database.committed());
        tally.add("keys moved", database.number(MOVED));
        Duration took = Duration.ofNanos(System.nanoTime() - started);
        return new Report(settings.seed(), took, verdict, stoppedCleanly, tally);
    }

    @Override
    public void close() throws IOException {
        fleet.close();
        relay.close();
    }

    /**
     * What came of a run.
     *
     * @param verdict on the effects: one for each event, those of a key in order
     * @param stoppedCleanly whether every member that was asked to leave did
     */
    public record Report(long seed, Duration took, Ledger.Verdict verdict, boolean stoppedCleanly, Tally tally) {

        public boolean isClean() {
            return verdict.isClean() && stoppedCleanly;
        }

        @Override
        public String toString() {
            return "seed " + seed + ", " + took.toSeconds() + " s, members: " + tally
                    + (stoppedCleanly ? "" : "; NOT all left cleanly") + "\n  " + verdict;
        }
    }
}
