package dev.posthorn.faults.replay;

import dev.posthorn.faults.harness.Ledger;
import dev.posthorn.replay.Replay;
import dev.posthorn.replay.ReplayState;
import java.util.List;
import java.util.Locale;

/**
 * What came of the replay that was changed, paused, resumed and cancelled.
 *
 * @param verdict over the dead letters that are gone; what came of the others was in doubt when it was cancelled
 * @param rateBefore a second, until the change to twice as many
 * @param whilePaused how many came though it was paused
 * @param afterResume how many came until it was cancelled
 * @param afterCancel how many came though it was cancelled
 */
record SideResult(
        Replay replay,
        Ledger.Verdict verdict,
        double rateBefore,
        double rateAfter,
        long whilePaused,
        long afterResume,
        long afterCancel) {

    private static final double CHANGE_SHOWS = 1.5;

    static SideResult of(SideReplay side, Ledger.Verdict verdict, List<Came> came) {
        return new SideResult(
                side.replay(),
                verdict,
                side.rateBefore(came),
                side.rateAfter(came),
                side.cameWhilePaused(came),
                side.cameAfterResume(came),
                side.cameAfterCancel(came));
    }

    void check(Broken broken, int inDoubt) {
        broken.unless(replay.state() == ReplayState.CANCELLED, "side: it is " + replay.state());
        broken.unless(
                replay.delivered() + replay.failed() + replay.skippedInAll() == replay.requested(),
                "side: the sum is wrong: " + counts(replay));
        broken.unless(
                verdict.read() - verdict.phantom() == replay.delivered(),
                "side: " + verdict.read() + " came, " + verdict.phantom() + " of them still dead letters, "
                        + replay.delivered() + " delivered");
        broken.unless(
                verdict.lost() + verdict.skipped() + verdict.reordered() == 0 && verdict.phantom() <= inDoubt,
                "side: " + verdict);
        broken.unless(whilePaused == 0, "side: " + whilePaused + " came while it was paused");
        broken.unless(afterCancel == 0, "side: " + afterCancel + " came after it was cancelled");
    }

    void checkTimes(Broken late) {
        late.unless(replay.delivered() > 0 && replay.skippedInAll() > 0, "side: not mid-way: " + counts(replay));
        late.unless(rateAfter >= CHANGE_SHOWS * rateBefore, "side: the change of the rate does not show: " + rates());
        late.unless(afterResume > 0, "side: nothing came after it was resumed");
    }

    static String counts(Replay replay) {
        return replay.requested() + " requested, " + replay.delivered() + " delivered, " + replay.failed() + " failed, "
                + replay.skipped() + " skipped, " + replay.pending() + " pending";
    }

    private String rates() {
        return String.format(Locale.ROOT, "%.0f/s, then %.0f/s", rateBefore, rateAfter);
    }

    @Override
    public String toString() {
        return "beside it " + replay.state() + ": " + counts(replay) + "; " + rates() + "; " + verdict;
    }
}
