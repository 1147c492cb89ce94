package dev.posthorn.relay.budget;

import dev.posthorn.relay.store.LaneStore;
import dev.posthorn.relay.store.Ticker;
import dev.posthorn.subscription.Subscription;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How many events an instance may hand over for a subscription that has a rate. Every event handed over takes a token,
 * which is leased from one row that all instances share. Shared by the instance's lanes. Thread-safe.
 *
 * <p>The row gathers one token and what comes due in a fifth of a second, no more. That is the burst after an idle time:
 * a single event at a low rate, far less than a second's worth at a high one. And it is as late as an instance may come
 * for a token without the rate suffering. Less would lose tokens whenever a worker is busy for a moment.
 *
 * <p>A lease is for no more than a tenth of a second's worth, so that no lane and no instance takes what others wait
 * for. The lanes of an instance are served in the order in which they came. An instance that was served comes a little
 * later the next time than one that was refused, or it would always be the first to know when a token is due. Tokens
 * are good for a second: kept for longer they would be a burst of their own.
 */
public final class Allowance {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final double GATHERED_SECONDS = 0.2;
    private static final double PORTIONS_PER_SECOND = 10;

    private static final long LEAST_WAIT = Duration.ofMillis(10).toNanos();
    private static final long LONGEST_WAIT = Duration.ofMillis(200).toNanos();

    /** How much later than others an instance asks that was served last. */
    private static final long COURTESY = Duration.ofMillis(20).toNanos();

    /** A lane that has not asked again for so long has lost its place in the line. Longer than a lane's nap. */
    private static final long LAPSE = Duration.ofMillis(200).toNanos();

    /** Leases tokens from the row. */
    interface Leasing {
        LaneStore.Granted lease(double ratePerSecond, double capacity, int wanted);
    }

    /**
     * Some tokens.
     *
     * @param since before they were leased
     */
    record Portion(int tokens, long since) {

        private static final Portion NONE = new Portion(0, 0);
    }

    private final double rate;
    private final Ticker ticker;

    /** The lanes that lack tokens, and when they last asked. */
    private final Map<Object, Long> line = new LinkedHashMap<>();

    /** What lanes had no use for. */
    private Portion spare = Portion.NONE;

    private boolean servedLast;
    private long due;
    private long askAt;

    public Allowance(double ratePerSecond, Ticker ticker) {
        this.rate = ratePerSecond;
        this.ticker = ticker;
        this.due = ticker.nanos();
        this.askAt = due;
    }

    boolean isUnlimited() {
        return rate == Subscription.UNLIMITED;
    }

    /** The most tokens that the row gathers. */
    private double capacity() {
        return 1 + rate * GATHERED_SECONDS;
    }

    /** The most tokens that a lane takes at a time. */
    int portion() {
        return (int) Math.ceil(rate / PORTIONS_PER_SECOND);
    }

    /** Takes up to so many if it is the lane's turn; otherwise, or if there are none, the lane stands in line. */
    Portion take(Object lane, int wanted, Leasing leasing) {
        int most = Math.min(wanted, portion());
        synchronized (this) {
            long now = ticker.nanos();
            if (!isFirst(lane, now)) {
                return Portion.NONE;
            }
            dropOld(now);
            if (spare.tokens() > 0) {
                return takeSpare(lane, most);
            }
            if (askAt - now > 0) {
                return Portion.NONE;
            }
            // Nobody else asks meanwhile, nor this lane at once if the database fails.
            askAt = now + LONGEST_WAIT;
        }
        return lease(lane, most, leasing);
    }

    private boolean isFirst(Object lane, long now) {
        line.put(lane, now);
        line.values().removeIf(asked -> now - asked > LAPSE);
        return isFirst(lane);
    }

    private boolean isFirst(Object lane) {
        return line.isEmpty() || line.keySet().iterator().next() == lane;
    }

    private void dropOld(long now) {
        if (isOld(spare, now)) {
            spare = Portion.NONE;
        }
    }

    private static boolean isOld(Portion portion, long now) {
        return now - portion.since() >= SECOND;
    }

    private Portion takeSpare(Object lane, int most) {
        Portion taken = new Portion(Math.min(spare.tokens(), most), spare.since());
        spare = new Portion(spare.tokens() - taken.tokens(), spare.since());
        line.remove(lane);
        return taken;
    }

    /** Not under the lock, because a statement may take long. */
    private Portion lease(Object lane, int wanted, Leasing leasing) {
        long before = ticker.nanos();
        LaneStore.Granted granted = leasing.lease(rate, capacity(), wanted);
        synchronized (this) {
            long now = ticker.nanos();
            note(granted, before, now);
            Portion leased = new Portion(granted.tokens(), before);
            if (leased.tokens() == 0 || isOld(leased, now)) {
                return Portion.NONE;
            }
            line.remove(lane);
            return leased;
        }
    }

    private void note(LaneStore.Granted granted, long asked, long now) {
        if (granted.tokens() > 0) {
            servedLast = true;
        } else if (asked - due >= 0) {
            // There was one, and another instance was served.
            servedLast = false;
        }
        due = now + (long) Math.ceil(Math.max(0, 1 - granted.left()) / rate * SECOND);
        long wait = due - now + (servedLast ? COURTESY : 0);
        askAt = granted.left() >= 1 ? now : now + Math.max(LEAST_WAIT, Math.min(LONGEST_WAIT, wait));
    }

    /** Tokens that the lane has no use for now; another may have. */
    synchronized void giveBack(Portion rest) {
        boolean older = spare.tokens() == 0 || rest.since() - spare.since() < 0;
        spare = new Portion(spare.tokens() + rest.tokens(), older ? rest.since() : spare.since());
    }

    /** The lane lacks no tokens any more. */
    synchronized void leave(Object lane) {
        line.remove(lane);
    }

    /** In how many nanoseconds it is of use for the lane to ask again. */
    synchronized long nextNanos(Object lane) {
        long wait = spare.tokens() > 0 ? 0 : Math.max(0, askAt - ticker.nanos());
        return isFirst(lane) ? wait : Math.max(wait, LEAST_WAIT);
    }
}
