package dev.posthorn.relay;

import dev.posthorn.log.Mark;

/**
 * What one settle writes, in one transaction.
 *
 * @param mark how far the lane is settled
 * @param high how far events were handed to the sink
 * @param readSeq the greatest seq ever read
 * @param parked whether the lane stands still for a change of the number of lanes
 * @param receiptCount how many events were settled since the last receipt, if one is due; else 0
 */
record Settlement(Mark mark, Mark high, long readSeq, boolean parked, long receiptCount) {}
