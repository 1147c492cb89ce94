package dev.posthorn.relay.budget;

import dev.posthorn.log.Snapshot;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What the lease keeper wants of a lane.
 *
 * @param inFlightLimit the lane's share of its instance's limit
 * @param concurrency its share of what the sink takes at a time
 * @param room what is left of that limit for all lanes of the instance
 * @param allowance how many events the instance may hand over
 * @param lastHeard when the receiver last answered any of them
 * @param retryPlaces what the sink has in its hands again of those that failed before, of all of them
 * @param parkFor stand still at the end of the window: this change to another generation is wanted
 * @param stopAt then read on to exactly this snapshot. Once the mark is stored there the generation may end at any
 *     moment and its delivery rows go to other lanes: by then nothing may be on its way, and nothing more be sent
 * @param leave send nothing more, settle what was sent, and stop
 * @param paused read nothing and send nothing; take and settle what is answered
 * @param letGoSeq events below it are not waited for any longer
 */
public record LaneOrders(
        int inFlightLimit,
        long inFlightBytes,
        int concurrency,
        InFlightBudget room,
        Allowance allowance,
        LastHeard lastHeard,
        RetryPlaces retryPlaces,
        @Nullable UUID parkFor,
        @Nullable Snapshot stopAt,
        boolean leave,
        boolean paused,
        long letGoSeq) {

    /** Whether to stand still at the end of the window. */
    public boolean park() {
        return parkFor != null;
    }

    /** Whether anything may be sent. */
    public boolean isSending() {
        return !leave && !paused;
    }

    public LaneOrders leaving() {
        return new LaneOrders(
                inFlightLimit,
                inFlightBytes,
                concurrency,
                room,
                allowance,
                lastHeard,
                retryPlaces,
                parkFor,
                stopAt,
                true,
                paused,
                letGoSeq);
    }
}
