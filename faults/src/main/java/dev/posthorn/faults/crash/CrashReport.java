package dev.posthorn.faults.crash;

import dev.posthorn.faults.delivery.Account;
import dev.posthorn.faults.harness.Tally;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What came of a run.
 *
 * @param events in the log at the end
 * @param struck strikes at processes: each strike at PostgreSQL hits all of them
 * @param results of each subscription, as far as its events are in the log
 * @param wronglyDelivered events that are shown as delivered and never came, over all subscriptions
 * @param undelivered events that are not shown as delivered though the run waited for them
 * @param durableMissing acknowledged commits that had waited for the disk and were gone after a crash
 * @param slowestReturn from a kill to the next delivery
 */
public record CrashReport(
        long seed,
        Duration took,
        int events,
        int struck,
        int inFlightLimit,
        List<Account.Result> results,
        long wronglyDelivered,
        long undelivered,
        long durableMissing,
        Duration slowestReturn,
        boolean stoppedCleanly,
        Tally tally) {

    /** What a tally counts. */
    static final String IDS = "ids taken back";

    static final String UNWAITED = "commits taken back that had not waited for the disk";
    static final String BY_STANDBY = "acknowledged events that a stand-by never had";
    static final String UNHAPPENED = "delivered events that a crash or a stand-by took back";

    public CrashReport {
        results = List.copyOf(results);
    }

    /** Whether every event in the log came, in the order of its key, and none is said to have come that did not. */
    public boolean allCameInOrder() {
        return wronglyDelivered == 0
                && results.stream()
                        .allMatch(each -> each.verdict().lost() + each.verdict().reordered() == 0);
    }

    public boolean isClean() {
        return wronglyDelivered + undelivered + durableMissing == 0
                && stoppedCleanly
                && results.stream().allMatch(each -> each.isClean(struck, inFlightLimit));
    }

    /** What must have happened for the run to mean anything, and did not. */
    public List<String> missing() {
        List<String> missing = new ArrayList<>();
        for (String what : List.of(IDS, "rollback", "early_xid", "savepoint", UNWAITED)) {
            if (tally.of(what) == 0) {
                missing.add(what);
            }
        }
        return missing;
    }

    @Override
    public String toString() {
        return "seed " + seed + ", " + took.toSeconds() + " s, " + events + " events in the log, " + wronglyDelivered
                + " shown as delivered that never came, " + undelivered + " not delivered, " + durableMissing
                + " durable commits gone; delivering again at most " + slowestReturn.toMillis()
                + " ms after a kill; " + tally
                + (stoppedCleanly ? "" : "; NOT stopped cleanly")
                + results.stream().map(each -> "\n  " + each).collect(Collectors.joining());
    }
}
