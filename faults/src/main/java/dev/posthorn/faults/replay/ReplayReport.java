package dev.posthorn.faults.replay;

import dev.posthorn.faults.harness.Ledger;
import dev.posthorn.replay.Replay;
import dev.posthorn.replay.ReplayState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What came of a run.
 *
 * @param lettersLeft dead letters that should be gone
 * @param verdict on what came by the replay, by the order of first arrivals of each key
 * @param live the same of live events
 * @param wrongInEffect events that had no effect at the receiver, or more than one
 * @param effectsBeside events that had one and should not
 * @param duplicates by the process that had sent the event before
 * @param goneOn after a kill, for each lane of the killed process
 * @param looks how often the replay's account was looked at while it ran
 * @param wrongLooks examples of those at which it was wrong
 */
public record ReplayReport(
        ReplayKills.Settings settings,
        Duration took,
        int kills,
        Replay replay,
        int lettersLeft,
        Ledger.Verdict verdict,
        Ledger.Verdict live,
        SideResult side,
        long wrongInEffect,
        long effectsBeside,
        Map<String, Integer> duplicates,
        Rates rates,
        List<Duration> goneOn,
        int looks,
        List<String> wrongLooks,
        boolean stoppedCleanly) {

    /** Fewer would prove little. */
    private static final int LEAST_STRETCHES = 3;

    private static final int LEAST_LOOKS = 20;

    public ReplayReport {
        duplicates = Map.copyOf(duplicates);
        goneOn = goneOn.stream().sorted().toList();
        wrongLooks = List.copyOf(wrongLooks);
    }

    public boolean isClean() {
        return broken().isEmpty() && late().isEmpty();
    }

    /** The promises that were broken, those about time apart. */
    public List<String> broken() {
        Broken broken = new Broken();
        checkAccount(broken);
        checkArrivals(broken);
        side.check(broken, ReplayingRelay.IN_FLIGHT_LIMIT);
        broken.unless(stoppedCleanly, "a relay did not stop cleanly");
        return broken.all();
    }

    /** What did not happen in time, or not often enough in the time there was to prove anything. */
    public List<String> late() {
        Broken late = new Broken();
        late.unless(kills >= settings.kills(), "only " + kills + " kills while the replay ran");
        late.unless(looks >= LEAST_LOOKS, "only " + looks + " looks at the account");
        late.unless(rates.measured().size() >= LEAST_STRETCHES && rates.isKept(), rates.toString());
        late.unless(
                goneOn.size() >= settings.kills() / 2 && nearlyAll().compareTo(ReplayKills.GOES_ON_WITHIN) <= 0,
                goneOn.size() + " lanes went on after kills, nine of ten after " + nearlyAll());
        side.checkTimes(late);
        return late.all();
    }

    private void checkAccount(Broken broken) {
        broken.unless(replay.state() == ReplayState.FINISHED, "the replay is " + replay.state());
        broken.unless(
                replay.requested() == settings.letters() && replay.delivered() == settings.letters(),
                "not all delivered: " + SideResult.counts(replay));
        broken.unless(
                replay.requested() == replay.delivered() + replay.failed() + replay.skippedInAll(),
                "the sum is wrong: " + SideResult.counts(replay));
        broken.unless(lettersLeft == 0, lettersLeft + " dead letters are left");
        broken.unless(wrongLooks.isEmpty(), "the account was wrong while it ran: " + wrongLooks);
    }

    private void checkArrivals(Broken broken) {
        broken.unless(verdict.isClean(), verdict.toString());
        broken.unless(live.isClean() && live.read() > 0, live.toString());
        broken.unless(wrongInEffect == 0, wrongInEffect + " events did not have one effect");
        broken.unless(effectsBeside <= ReplayingRelay.IN_FLIGHT_LIMIT, effectsBeside + " events had one unasked");
        broken.unless(worst() <= ReplayingRelay.IN_FLIGHT_LIMIT, worst() + " duplicates of what one process had sent");
        broken.unless(
                duplicatesInAll() <= (long) kills * ReplayingRelay.IN_FLIGHT_LIMIT,
                duplicatesInAll() + " duplicates by " + kills + " kills");
    }

    private int worst() {
        return duplicates.values().stream().max(Integer::compare).orElse(0);
    }

    private long duplicatesInAll() {
        return duplicates.values().stream().mapToLong(Integer::longValue).sum();
    }

    private Duration slowest() {
        return goneOn.isEmpty() ? Duration.ZERO : goneOn.get(goneOn.size() - 1);
    }

    /** Now and then a machine that is busy takes its time. */
    private Duration nearlyAll() {
        return goneOn.isEmpty() ? Duration.ZERO : goneOn.get((goneOn.size() * 9 + 9) / 10 - 1);
    }

    @Override
    public String toString() {
        return "seed " + settings.seed() + ", " + took.toSeconds() + " s, " + kills + " kills, replay " + replay.state()
                + ": " + SideResult.counts(replay) + "; " + rates + "; " + goneOn.size()
                + " lanes of the killed went on, nine of ten within "
                + nearlyAll().toMillis() + " ms of at most "
                + ReplayKills.GOES_ON_WITHIN.toMillis() + ", the slowest after "
                + slowest().toMillis() + "; " + duplicatesInAll() + " duplicates, at most " + worst()
                + " of one process (" + ReplayingRelay.IN_FLIGHT_LIMIT + " allowed); " + effectsBeside
                + " in doubt at the cancel; " + looks + " looks at the account\n  " + verdict + "\n  " + live
                + "\n  " + side
                + lines("BROKEN", broken()) + lines("LATE", late());
    }

    private static String lines(String head, List<String> all) {
        return all.stream().map(each -> "\n  " + head + ": " + each).collect(Collectors.joining());
    }
}
