package dev.posthorn.relay.store;

import dev.posthorn.log.Mark;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What one settle writes, in one transaction.
 *
 * @param former the turn of the settle that it follows: between the two nothing else was settled
 * @param turn by which it is known again if its answer is lost
 * @param mark how far the lane is settled
 * @param high how far events were handed to the sink
 * @param readSeq the greatest seq ever read
 * @param parkedFor the change of generation for which the lane stands still, if it does
 * @param undisturbed whether forced take-overs are to be forgotten
 * @param receiptCount how many events were settled since the last receipt, if one is due; else 0
 * @param gauge what others want to see of the lane, if it has changed
 * @param changes delivery rows, dead letters, attempts and answers to commands
 */
public record Settlement(
        long former,
        long turn,
        Mark mark,
        Mark high,
        long readSeq,
        @Nullable UUID parkedFor,
        boolean undisturbed,
        long receiptCount,
        @Nullable Gauge gauge,
        Changes changes) {

    /**
     * What a lane's owner knows and others want to see.
     *
     * @param breakerReason why the breaker is open; null while it is closed
     * @param denialReason why the receiver refuses everything; null while it does not
     */
    public record Gauge(
            @Nullable String breakerReason, @Nullable String denialReason, int blockedKeys) {

        public static final Gauge CALM = new Gauge(null, null, 0);

        /** Whether a breaker or a denial has begun or ended since. */
        public boolean hasTurnedSince(Gauge former) {
            return (breakerReason == null) != (former.breakerReason == null)
                    || (denialReason == null) != (former.denialReason == null);
        }
    }

    /** Whether the mark is all there is to write. */
    public boolean isMarkOnly() {
        return receiptCount == 0 && gauge == null && changes.isEmpty();
    }
}
