package dev.posthorn.log;

import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The part of the log that one lane reads.
 *
 * @param lanes how many lanes share the keys
 * @param index which of them this is
 * @param floorSeq the last seq of earlier eras, whose transaction ids do not compare with today's
 * @param since in the first window, only events written at or after this time
 * @param drain in the first window after a move to another cluster, what was settled before it
 */
public record LaneScope(
        Filter filter,
        int lanes,
        int index,
        long floorSeq,
        @Nullable Instant since,
        @Nullable Drain drain) {

    /** Whether the lane wants the event and it belongs to its share of the keys; says nothing of the first window. */
    public boolean has(RecordedEvent recorded) {
        Event event = recorded.event();
        return filter.wants(event) && (lanes == 1 || KeyHash.lane(event.key(), event.id(), lanes) == index);
    }

    /**
     * A lane's mark on the cluster that the data came from.
     *
     * @param readSeq the greatest seq the lane ever read there: what lies beyond was not settled, whatever its txid
     * @param floorSeq the last seq of the eras before that one
     * @param toSeq the greatest seq at the time of the move
     */
    public record Drain(Mark mark, long readSeq, long floorSeq, long toSeq) {}
}
