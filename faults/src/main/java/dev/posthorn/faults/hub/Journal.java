package dev.posthorn.faults.hub;

import dev.posthorn.faults.harness.Change;
import dev.posthorn.faults.harness.Crew;
import dev.posthorn.faults.harness.HubProcess;
import dev.posthorn.faults.harness.Tally;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** What publishers were told about their events. */
final class Journal {

    /** A guard against hanging; what is promised is for those to check who know what was done. */
    private static final Duration LONGEST_RECOVERY = Duration.ofMinutes(3);

    private final Tally tally;
    private final Set<UUID> acknowledged = new HashSet<>();
    private int underWay;
    private long newest = Long.MIN_VALUE;

    Journal(Tally tally) {
        this.tally = tally;
    }

    void count(String what) {
        tally.count(what);
    }

    void count(String what, long times) {
        tally.add(what, times);
    }

    synchronized void begun() {
        underWay++;
        notifyAll();
    }

    synchronized void ended() {
        underWay--;
    }

    /**
     * @param since when they were sent, in nanoseconds
     */
    synchronized void acknowledged(Collection<Change> changes, long since) {
        changes.forEach(change -> acknowledged.add(change.id()));
        newest = Math.max(newest, since);
        notifyAll();
    }

    synchronized Set<UUID> acknowledged() {
        return Set.copyOf(acknowledged);
    }

    /** Strikes when at least one request is under way; none ends in between. */
    synchronized int strike(Crew.Work strike) throws Exception {
        while (underWay == 0) {
            wait();
        }
        int struck = underWay;
        strike.run();
        return struck;
    }

    /** How long it took until something was acknowledged that was sent after this time; fails if too long. */
    synchronized Duration untilAcknowledged(long after, HubProcess hub) throws InterruptedException {
        long giveUpAt = System.nanoTime() + LONGEST_RECOVERY.toNanos();
        while (newest < after) {
            long left = giveUpAt - System.nanoTime();
            if (left <= 0) {
                throw new IllegalStateException(
                        "nothing was acknowledged for " + LONGEST_RECOVERY + "; the hub's log:\n" + hub.log());
            }
            TimeUnit.NANOSECONDS.timedWait(this, left + 1_000_000);
        }
        Duration took = Duration.ofNanos(System.nanoTime() - after);
        hub.requireAlive();
        return took;
    }
}
