package dev.posthorn.relay;

import dev.posthorn.relay.lane.Lane;
import java.util.List;

/** The lanes of a relay themselves, to see whether they are the same as before. */
public final class LiveLanes {

    private LiveLanes() {}

    public static List<Lane> of(Relay relay, String subscription) {
        return relay.liveLanes().stream()
                .filter(lane -> lane.name().startsWith(subscription + "/"))
                .toList();
    }
}
