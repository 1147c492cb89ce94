package dev.posthorn.faults.replay;

import dev.posthorn.audit.Actor;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.faults.harness.Change;
import dev.posthorn.faults.harness.Database;
import dev.posthorn.faults.harness.Fleet;
import dev.posthorn.log.SchemaName;
import dev.posthorn.replay.Replays;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** Dead letters are replayed at a rate while live events come and relay processes are killed, one at a time. */
public final class ReplayKills implements AutoCloseable {

    /** After a kill each lane of the killed process goes on with the replay by then. */
    static final Duration GOES_ON_WITHIN = ReplayingRelay.LEASE.plusSeconds(2);

    private static final String TYPE = "letter";
    private static final int RELAYS = 3;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(25);
    private static final Duration LEAST_STRETCH = Duration.ofMillis(1_500);

    private static final Duration PATIENCE_TO_SHARE = Duration.ofSeconds(5);

    /** How much is delivered when no rate is measured any more: lanes run out of items. */
    private static final double LAST_STRETCH_ENDS = 0.95;

    /**
     * How hard it is to be.
     *
     * @param letters dead letters to be replayed
     * @param kills so many processes, while they are
     * @param rate of the replay, a second
     * @param liveRate events recorded a second meanwhile
     */
    public record Settings(int letters, int kills, double rate, double liveRate, long seed) {

        /** Replayed beside, and cancelled. */
        int sideLetters() {
            return letters / 5;
        }

        double sideRate() {
            return rate / 8;
        }
    }

    private final Settings settings;
    private final SplittableRandom random;
    private final Database database;
    private final Letters letters;
    private final Replays replays;
    private final SideReplay side;
    private final InboxReceiver receiver;
    private final Fleet fleet;
    private final Watch watch;
    private final List<Kill> kills = new ArrayList<>();

    public ReplayKills(EmbeddedPostgres server, Settings settings) throws SQLException, IOException {
        this.settings = settings;
        this.random = new SplittableRandom(settings.seed());
        this.database = Database.create(server, 1);
        this.letters = new Letters(database);
        this.replays = new Replays(database.dataSource(), SchemaName.DEFAULT);
        this.side = new SideReplay(replays, settings.sideRate());
        this.receiver = new InboxReceiver(database);
        this.fleet = new Fleet(database, ReplayingRelay.class, "relay", ReplayingRelay.settings(receiver.port()));
        this.watch = new Watch(database, fleet::alive);
    }

    public ReplayReport run() throws Exception {
        long started = System.nanoTime();
        letters.record(TYPE, settings.letters());
        letters.record(SideReplay.TYPE, settings.sideLetters());
        for (int i = 0; i < RELAYS; i++) {
            fleet.start();
        }
        awaitSteady();
        letters.bury(TYPE, SideReplay.TYPE);
        LiveLoad load = LiveLoad.start(database, settings.liveRate());
        long replay = SideReplay.start(replays, TYPE, settings.rate(), Actor.named("faults"))
                .id();
        watch.watch(TYPE, replay);
        for (int i = 0; i < settings.kills() && watch.progress() < 1; i++) {
            awaitProgress((i + random.nextDouble()) / (settings.kills() + 1));
            killOne();
            load.check();
            receiver.check();
        }
        awaitProgress(LAST_STRETCH_ENDS);
        watch.cut();
        awaitEnd(replay);
        load.stop();
        return report(started, replay);
    }

    /** Waits until so much is delivered, however long it takes, as long as something is. */
    private void awaitProgress(double least) throws SQLException, InterruptedException {
        long giveUpAt = System.nanoTime() + PATIENCE.toNanos();
        for (double before = watch.progress(); watch.progress() < least && System.nanoTime() < giveUpAt; pass()) {
            if (watch.progress() > before) {
                before = watch.progress();
                giveUpAt = System.nanoTime() + PATIENCE.toNanos();
            }
        }
    }

    /** When every lane has an owner again after the last one, and not before several share them, if they soon do. */
    private void killOne() throws SQLException, IOException, InterruptedException {
        long giveUpAt = System.nanoTime() + PATIENCE_TO_SHARE.toNanos();
        for (awaitSteady(); !isShared() && System.nanoTime() < giveUpAt; awaitSteady()) {
            pass();
        }
        String victim = victim();
        Kill kill = new Kill(System.nanoTime(), victim, watch.lanesOf(victim));
        watch.cut();
        fleet.kill(victim);
        kills.add(kill);
        fleet.start();
    }

    /**
     * Mostly one whose lanes are not those of the last one that was killed. A lane that is taken over by force again
     * and again goes carefully, an event at a time, and a run of nothing else would last too long.
     */
    private String victim() {
        List<String> others =
                owners().stream().filter(instance -> !isHeir(instance)).toList();
        List<String> candidates = others.isEmpty() || mayBeHeir() ? owners() : others;
        return candidates.get(random.nextInt(candidates.size()));
    }

    private List<String> owners() {
        return fleet.alive().stream()
                .filter(instance -> !watch.lanesOf(instance).isEmpty())
                .toList();
    }

    private boolean isShared() {
        return owners().size() > 1 && (mayBeHeir() || !owners().stream().allMatch(this::isHeir));
    }

    private boolean mayBeHeir() {
        return kills.size() % 4 == 3;
    }

    private boolean isHeir(String instance) {
        return !kills.isEmpty()
                && watch.lanesOf(instance).stream()
                        .anyMatch(kills.get(kills.size() - 1).lanes()::contains);
    }

    private void pass() throws SQLException, InterruptedException {
        watch.look();
        if (side.isDue(watch.progress())) {
            side.act();
        }
        TimeUnit.NANOSECONDS.sleep(BETWEEN_LOOKS.toNanos());
    }

    private void awaitSteady() throws SQLException, InterruptedException {
        long giveUpAt = System.nanoTime() + PATIENCE.toNanos();
        for (watch.look(); !watch.isSteady(); pass()) {
            if (System.nanoTime() > giveUpAt) {
                throw new IllegalStateException("not every lane had an owner for " + PATIENCE + logs());
            }
        }
    }

    /** However long it takes, as long as something still comes. */
    private void awaitEnd(long replay) throws SQLException, InterruptedException {
        long giveUpAt = System.nanoTime() + PATIENCE.toNanos();
        int came = 0;
        while (!(replays.get(replay).state().isEnded() && side.isCancelled()) && System.nanoTime() < giveUpAt) {
            pass();
            if (receiver.distinct(replay) > came) {
                came = receiver.distinct(replay);
                giveUpAt = System.nanoTime() + PATIENCE.toNanos();
            }
        }
    }

    private ReplayReport report(long started, long replay) throws Exception {
        List<Change> live = letters.recorded(LiveLoad.TYPE);
        long giveUpAt = System.nanoTime() + PATIENCE.toNanos();
        while (receiver.distinct(Came.LIVE) < live.size() && System.nanoTime() < giveUpAt) {
            pass();
        }
        TimeUnit.SECONDS.sleep(1);
        boolean stopped = fleet.stop();
        List<Change> wanted = letters.recorded(TYPE);
        List<Change> removed = removed();
        List<Came> came = receiver.came();
        List<Change> inEffect = new ArrayList<>(wanted);
        inEffect.addAll(live);
        inEffect.addAll(removed);
        ReplayReport report = new ReplayReport(
                settings,
                Duration.ofNanos(System.nanoTime() - started),
                kills.size(),
                replays.get(replay),
                letters.left(TYPE).size(),
                receiver.verdict(replay, wanted),
                receiver.verdict(Came.LIVE, live),
                SideResult.of(side, receiver.verdict(side.id(), removed), came),
                receiver.wrongInEffect(inEffect),
                receiver.effectsBeside(inEffect),
                receiver.duplicates(),
                Rates.of(settings.rate(), watch.stretches(LEAST_STRETCH), came, replay),
                Kill.untilGoneOn(kills, came, replay),
                watch.accounts(),
                watch.wrongAccounts(),
                stopped);
        if (!report.isClean()) {
            System.err.println(logs());
        }
        return report;
    }

    /** What is no dead letter any more of what the second replay was for. */
    private List<Change> removed() throws SQLException {
        Set<Change> left = new HashSet<>(letters.left(SideReplay.TYPE));
        return letters.recorded(SideReplay.TYPE).stream()
                .filter(change -> !left.contains(change))
                .toList();
    }

    private String logs() {
        StringBuilder all = new StringBuilder();
        fleet.alive()
                .forEach(instance ->
                        all.append("\n").append(instance).append("\n").append(fleet.log(instance)));
        return all.toString();
    }

    @Override
    public void close() throws IOException, SQLException {
        watch.close();
        fleet.close();
        receiver.close();
    }
}
