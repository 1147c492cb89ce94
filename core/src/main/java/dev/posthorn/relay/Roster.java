package dev.posthorn.relay;

import dev.posthorn.relay.lane.Lane;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The lanes of all holdings, as a list that is made anew only after they have changed: there are tens of thousands. */
final class Roster {

    private final Set<Lane> lanes = new LinkedHashSet<>();
    private @Nullable List<Lane> listed;

    void add(Lane lane) {
        lanes.add(lane);
        listed = null;
    }

    void remove(Lane lane) {
        lanes.remove(lane);
        listed = null;
    }

    List<Lane> all() {
        List<Lane> all = listed;
        if (all == null) {
            all = List.copyOf(lanes);
            listed = all;
        }
        return all;
    }
}
