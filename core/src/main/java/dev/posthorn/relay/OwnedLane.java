package dev.posthorn.relay;

import dev.posthorn.relay.lane.Lane;

/**
 * A lane that an instance owns, and what it has done since it took it over, as of the moment of asking. Only to be looked at: who
 * had the lane itself could lift the rules by which it sends.
 *
 * @param name the subscription's and the lane's number, such as {@code orders/0}
 * @param delivered events delivered
 * @param bytes of payload delivered
 * @param overtaken events that were delivered before an earlier one of their key, which had failed
 */
public record OwnedLane(String name, long delivered, long bytes, long overtaken) {

    static OwnedLane of(Lane lane) {
        return new OwnedLane(
                lane.name(),
                lane.counters().delivered(),
                lane.counters().bytes(),
                lane.counters().overtaken());
    }
}
