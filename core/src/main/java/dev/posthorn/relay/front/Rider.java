package dev.posthorn.relay.front;

import dev.posthorn.log.Mark;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.subscription.Subscription;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A lane as its front sees it. <em>Aboard</em> the front reads for it; <em>carried</em>, its row in the store says only
 * which front it rides on, and nobody but the front writes how far it is settled.
 */
public interface Rider {

    LaneGrant grant();

    Subscription subscription();

    /**
     * Takes as many of these events as there is room for, in order. What it takes it holds until it has settled it.
     *
     * @return how many
     */
    int take(List<Handed> events);

    /** It has no room for what comes next, and reads on from there by itself. */
    void putOff(Ride.Position position);

    /** The first event that it was handed and has not settled; null if there is none. */
    @Nullable
    Handed firstHeld();

    /** Whether its receiver or its rate keep it waiting; not if it only waits for its turn in this process, as others do. */
    boolean isSlow();

    /** It holds others back, and is to settle by itself. */
    void sendOff();

    /** The front has come to where it got on: so many events were handed out before. */
    void joined(long number);

    /** Whether its row may say that it is carried, from a position on at which so many were handed out. */
    boolean isBoardable(long number);

    /** The turn of its last settle. */
    long turn();

    /** Its row says from now on that it is carried, and at this mark it stood then. */
    void boarded(Mark at, long number, long turn);

    /** Whether its row counts forced take-overs that are not forgotten yet. */
    boolean isDisturbed();

    /** Whether they can be: no event that it has had can be what has caused them. */
    boolean isProven();

    /** They are forgotten. */
    void calmed();

    /** The front's position was written. */
    void carried(Mark at, long number);

    /** How many events it has settled that are behind a written position and in no receipt. */
    int unreceipted();

    /** Whether it holds nothing, and all that it has settled is behind a written position and in a receipt. */
    boolean isAtRest();

    /** So many are in one now. */
    void receipted(int events);

    /** Its row is its own again, and says this mark. */
    void anchored(Mark at, long number, long turn);

    /** Its row does not say what it should: it has to begin anew. */
    void mislaid();

    /**
     * The front has ended: it has to begin anew.
     *
     * @param turn of the last move that is known to be done
     * @param inDoubt the move whose answer was lost, if there is one
     */
    void ended(long turn, @Nullable MoveInDoubt inDoubt);
}
