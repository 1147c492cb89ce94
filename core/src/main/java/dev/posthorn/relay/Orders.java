package dev.posthorn.relay;

import dev.posthorn.log.Snapshot;
import org.jspecify.annotations.Nullable;

/**
 * What the lease keeper wants of a lane.
 *
 * @param inFlightLimit the lane's share of its instance's limit
 * @param room what is left of that limit for all lanes of the instance
 * @param park stand still at the end of the window: the number of lanes is to change
 * @param stopAt then read on to exactly this snapshot
 * @param leave send nothing more, settle what was sent, and stop
 */
record Orders(
        int inFlightLimit,
        long inFlightBytes,
        Room room,
        boolean park,
        @Nullable Snapshot stopAt,
        boolean leave) {

    Orders leaving() {
        return new Orders(inFlightLimit, inFlightBytes, room, park, stopAt, true);
    }
}
