package dev.posthorn.faults.hub;

import dev.posthorn.faults.Change;
import dev.posthorn.faults.Tally;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What publishers were told about their events. */
final class Journal {

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

    /** Something to do while a request is under way. */
    interface Strike {
        void now() throws Exception;
    }

    /** Strikes when at least one request is under way; none ends in between. */
    synchronized int strike(Strike strike) throws Exception {
        while (underWay == 0) {
            wait();
        }
        int struck = underWay;
        strike.now();
        return struck;
    }

    /** How long it took until something was acknowledged that was sent after this time; null if too long. */
    synchronized @Nullable Duration untilAcknowledged(long after, Duration patience) throws InterruptedException {
        long giveUpAt = System.nanoTime() + patience.toNanos();
        while (newest < after) {
            long left = giveUpAt - System.nanoTime();
            if (left <= 0) {
                return null;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left + 1_000_000);
        }
        return Duration.ofNanos(System.nanoTime() - after);
    }
}
