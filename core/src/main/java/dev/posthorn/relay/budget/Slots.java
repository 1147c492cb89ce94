package dev.posthorn.relay.budget;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** A lane's part of the {@link Deliveries} of its relay: for its own thread, but for the slots that it is given. */
public final class Slots {

    /**
     * Who goes on at once goes on by the connection that it has, which whoever comes after it would have to open. After so
     * many it is another's turn.
     */
    private static final int MOST_KEPT = 32;

    private final Deliveries deliveries;
    private final Runnable signal;

    /** Of what is under way, how many have a slot, and how many are tries. */
    private int used;

    private int tries;

    /** Slots that it has and does not use: for what it sends next, or to be put down at the end of the step. */
    private int spare;

    /** Slots that it was given since it waited for them. From any thread. */
    private final AtomicInteger given = new AtomicInteger();

    /** Whether it stands in line for its first slot, or for one more. */
    private final AtomicBoolean waitsForFirst = new AtomicBoolean();

    private final AtomicBoolean waitsForMore = new AtomicBoolean();

    /** How often it kept a slot that had become free, since it last left one to who waits. */
    private int kept;

    /** Nobody comes to take what it is given. */
    private volatile boolean ended;

    /** @param signal tells that it was given a slot, from any thread */
    public Slots(Deliveries deliveries, Runnable signal) {
        this.deliveries = deliveries;
        this.signal = signal;
    }

    /**
     * Whether there is one for one more; if not, the lane stands in line and is signalled when it is given one.
     *
     * @param underWay how many the lane has under way
     */
    public boolean isLeft(int underWay) {
        AtomicBoolean waits = underWay == 0 ? waitsForFirst : waitsForMore;
        if (spare == 0 && waits.compareAndSet(false, true) && deliveries.take(underWay, () -> give(waits))) {
            waits.set(false);
            spare++;
        }
        return spare > 0;
    }

    private int give(AtomicBoolean waits) {
        waits.set(false);
        given.incrementAndGet();
        if (ended) {
            return given.getAndSet(0);
        }
        signal.run();
        return 0;
    }

    /** A step begins: what it was given it uses now, or puts down. */
    public void takeGiven() {
        spare += given.getAndSet(0);
    }

    /** Whether it was given one since its last step. */
    public boolean areGiven() {
        return given.get() > 0;
    }

    /** Whether it will be signalled when it is given one. */
    public boolean areAwaited() {
        return waitsForFirst.get() || waitsForMore.get();
    }

    /** One was answered after so long. */
    public void took(long nanos) {
        deliveries.took(nanos);
    }

    public long usualNanos() {
        return deliveries.usualNanos();
    }

    /** The step is over: what it has not used is for others. */
    public void putDown() {
        deliveries.giveBack(spare);
        spare = 0;
    }

    /** How many may be tried without a slot. */
    public int triesLeft(int underWay) {
        return Math.max(underWay == 0 ? 1 : 0, deliveries.triesLeft());
    }

    /** One goes: by a slot, or, if it has none to use, as a try. Returns whether it has a slot. */
    public boolean use(boolean mayUse) {
        if (mayUse && spare > 0) {
            spare--;
            used++;
            return true;
        }
        tries++;
        deliveries.beginTry();
        return false;
    }

    /**
     * One has ended.
     *
     * @param slot whether it had a slot
     */
    public void end(boolean slot) {
        if (!slot) {
            int over = Math.min(tries, 1);
            tries -= over;
            deliveries.endTries(over);
        } else if (used > 0) {
            used--;
            leave();
        }
    }

    private void leave() {
        if (kept < MOST_KEPT || !deliveries.areAwaited()) {
            kept++;
            spare++;
        } else {
            kept = 0;
            deliveries.giveBack(1);
        }
    }

    /** The lane is over. */
    public void end() {
        ended = true;
        giveBackAll();
    }

    /** Nothing is under way any more. */
    public void giveBackAll() {
        deliveries.giveBack(used + spare + given.getAndSet(0));
        deliveries.endTries(tries);
        used = 0;
        spare = 0;
        tries = 0;
    }
}
