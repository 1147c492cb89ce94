package dev.posthorn.relay;

import dev.posthorn.relay.lane.Lane;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of all holdings. There are tens of thousands, so their list is made anew only after they have changed, and who
 * wants to know which have ended asks none of the others.
 */
final class Roster {

    private final Set<Lane> lanes = new LinkedHashSet<>();
    private @Nullable List<Lane> listed;

    /** From any thread. */
    private final Queue<Lane> ended = new ConcurrentLinkedQueue<>();

    private final Consumer<Lane> noteEnd = ended::add;

    void add(Lane lane) {
        lanes.add(lane);
        listed = null;
        lane.onEnd(noteEnd);
        if (lane.isEnded()) {
            ended.add(lane);
        }
    }

    /** The next that has ended and is still here; null if none has. */
    @Nullable
    Lane pollEnded() {
        Lane next = ended.poll();
        while (next != null && !lanes.contains(next)) {
            next = ended.poll();
        }
        return next;
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
