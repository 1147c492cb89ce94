package dev.posthorn.relay;

import dev.posthorn.log.LaneScope;
import dev.posthorn.log.Mark;

/**
 * A lane just taken over, with all that its new owner has to know.
 *
 * @param readSeq the greatest seq that any owner ever read
 * @param rowSeq the greatest seq that ever got a row or a dead letter
 * @param turn the number of the last settle
 * @param takeovers how often the lane changed hands by force since it last worked undisturbed
 */
record LaneGrant(
        String name,
        long subscriptionId,
        Lease lease,
        LaneScope scope,
        Mark mark,
        long readSeq,
        long rowSeq,
        long turn,
        int takeovers) {}
