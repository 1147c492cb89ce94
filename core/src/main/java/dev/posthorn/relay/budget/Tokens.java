package dev.posthorn.relay.budget;

import dev.posthorn.relay.store.LaneStore;

/**
 * A lane's hold on what its instance may hand over. It has tokens only while it hands over: what it does not need then
 * is there for other lanes. Belongs to the lane's thread.
 */
public final class Tokens {

    private final Allowance allowance;
    private final LaneStore store;
    private final boolean limited;
    private int inHand;
    private long since;

    /** Whether an event could have gone but for a token. */
    private boolean lacking;

    private boolean awaited;

    public Tokens(Allowance allowance, LaneStore store) {
        this.allowance = allowance;
        this.store = store;
        this.limited = !allowance.isUnlimited();
    }

    public boolean areLimited() {
        return limited;
    }

    /** Whether an event that needs one could not go; if so, that is remembered. */
    public boolean lack() {
        boolean lack = limited && inHand == 0;
        lacking |= lack;
        return lack;
    }

    public void spend() {
        if (limited) {
            inHand--;
        }
    }

    public boolean areLacking() {
        return lacking;
    }

    /** The most that are to be had at a time. */
    public int portion() {
        return allowance.portion();
    }

    /** Asks for up to so many, as some are lacking. True if there are any now. */
    public boolean obtain(int wanted) {
        awaited = true;
        Allowance.Portion portion = allowance.take(this, wanted, store::leaseTokens);
        inHand += portion.tokens();
        since = portion.since();
        lacking = inHand == 0;
        return !lacking;
    }

    /** Nothing more is handed over in this pass. */
    public void putDown() {
        if (inHand > 0) {
            allowance.giveBack(new Allowance.Portion(inHand, since));
            inHand = 0;
        }
        if (awaited && !lacking) {
            allowance.leave(this);
        }
        awaited = lacking;
        lacking = false;
    }

    /** Whether events wait for them. */
    public boolean areAwaited() {
        return awaited;
    }

    /** In how many nanoseconds it is of use to ask again; zero if none are awaited. */
    public long nextNanos() {
        return awaited ? allowance.nextNanos(this) : 0;
    }
}
