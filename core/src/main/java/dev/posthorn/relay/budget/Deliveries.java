package dev.posthorn.relay.budget;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * How many deliveries a relay has under way, of all its subscriptions together. Each costs a connection and its buffers,
 * so one with thousands of receivers cannot have as many as all of them would take at a time. While half of the
 * slots are taken, a lane that has one waits for more: so a few receivers that hang take them from nobody.
 *
 * <p>Who finds no slot waits in line, and is given one as it becomes free: nobody is told in vain, and nobody is passed.
 * What is sent only to see whether a receiver is back takes no slot: receivers that are away for long, however many, take
 * none from those that are well. Thread-safe.
 */
public final class Deliveries {

    /** What a connection may cost. */
    private static final long BYTES_EACH = 256 << 10;

    private static final int LEAST = 256;
    private static final int MOST = 16_384;

    /** For so many slots there is one try beside them. */
    private static final int SLOTS_FOR_A_TRY = 4;

    /** What is usual is said by the last so many. */
    private static final int ANSWERS = 64;

    private final int most;
    private int taken;
    private int tries;
    private long usualNanos;

    /** Those who have none. */
    private final Queue<Waiting> waitForFirst = new ArrayDeque<>();

    /** Those who have some: they are given one only while half of the slots are left. */
    private final Queue<Waiting> waitForMore = new ArrayDeque<>();

    /** Who stands in line. */
    @FunctionalInterface
    public interface Waiting {

        /** It is given a slot, from any thread. Returns how many it has that it can use no more. */
        int given();
    }

    public Deliveries(int most) {
        this.most = most;
    }

    /** As many as the memory of this process has room for. */
    public static Deliveries ofThisProcess() {
        long room = Runtime.getRuntime().maxMemory() / BYTES_EACH;
        return new Deliveries((int) Math.max(LEAST, Math.min(MOST, room)));
    }

    /**
     * Takes a slot, or stands in line for one.
     *
     * @param own how many of the lane that asks are under way
     * @param waiting who is given the slot that it waits for; null if it does not wait
     * @return whether there was one
     */
    public synchronized boolean take(int own, @Nullable Waiting waiting) {
        boolean first = own == 0;
        Queue<Waiting> line = first ? waitForFirst : waitForMore;
        if (line.isEmpty() && taken < limit(first)) {
            taken++;
            return true;
        }
        if (waiting != null) {
            line.add(waiting);
        }
        return false;
    }

    private int limit(boolean first) {
        return first ? most : most / 2;
    }

    /** How many more may be tried beside the first of each lane, which may always be. */
    public synchronized int triesLeft() {
        return Math.max(0, most / SLOTS_FOR_A_TRY - tries);
    }

    public synchronized void beginTry() {
        tries++;
    }

    public synchronized void endTries(int some) {
        tries -= some;
    }

    /** One was answered after so long. */
    public synchronized void took(long nanos) {
        usualNanos = usualNanos == 0 ? nanos : usualNanos + (nanos - usualNanos) / ANSWERS;
    }

    /** How long deliveries are under way of late, as far as they were answered by their receivers. */
    public synchronized long usualNanos() {
        return usualNanos;
    }

    /** Whether somebody who has none waits for a slot. */
    public synchronized boolean areAwaited() {
        return !waitForFirst.isEmpty();
    }

    /** Some have ended. Whoever waits for their slots is given them. */
    public void giveBack(int some) {
        int back = some;
        while (back > 0) {
            int unused = 0;
            for (Waiting next : pass(back)) {
                unused += next.given();
            }
            back = unused;
        }
    }

    private synchronized List<Waiting> pass(int some) {
        taken -= some;
        List<Waiting> given = new ArrayList<>();
        pass(waitForFirst, limit(true), given);
        pass(waitForMore, limit(false), given);
        return given;
    }

    private void pass(Queue<Waiting> line, int limit, List<Waiting> given) {
        while (taken < limit && !line.isEmpty()) {
            taken++;
            given.add(line.remove());
        }
    }
}
