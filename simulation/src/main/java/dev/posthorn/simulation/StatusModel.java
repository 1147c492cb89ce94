package dev.posthorn.simulation;

import dev.posthorn.event.Event;
import dev.posthorn.log.Filter;
import dev.posthorn.log.Mark;
import dev.posthorn.log.Snapshot;
import dev.posthorn.relay.store.DeliveryState;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How the status of an event for a subscription follows from what is stored: a second opinion on the view in SQL. */
final class StatusModel {

    /** What people see. */
    enum Status {
        PENDING,
        SENDING,
        HELD,
        DELIVERED,
        FAILED,
        DISCARDED
    }

    /**
     * A generation that has begun.
     *
     * @param since of what is visible in {@code startB}, only events written then or later are wanted
     */
    record Generation(
            int number,
            Filter filter,
            Snapshot startA,
            Snapshot startB,
            @Nullable Instant since) {}

    /** The mark and the high-water of the lane that an event belongs to in the current generation. */
    record Lane(Mark mark, Mark high) {}

    /**
     * What is stored of an event for the subscription.
     *
     * @param row the state of its delivery row, if it has one
     * @param discarded whether its dead letter was discarded; null if it has none
     */
    record Stored(
            long txid,
            long seq,
            @Nullable DeliveryState row,
            @Nullable Boolean discarded) {}

    private StatusModel() {}

    /** The generation whose filter was in force when the event came; null if the subscription began after it. */
    static @Nullable Generation inForce(Visibility.Cache visibility, List<Generation> begun, long txid) {
        Generation last = null;
        for (Generation each : begun) {
            if (!visibility.sees(each.startA(), txid)) {
                last = each;
            }
        }
        return last;
    }

    static boolean isWanted(
            Visibility.Cache visibility, @Nullable Generation generation, long txid, Event event, Instant createdAt) {
        if (generation == null || !generation.filter().wants(event)) {
            return false;
        }
        Instant since = generation.since();
        return since == null || !createdAt.isBefore(since) || !visibility.sees(generation.startB(), txid);
    }

    /**
     * The status of a committed event that is wanted.
     *
     * @param generation the one whose filter was in force when the event came
     * @param current the number of the subscription's generation
     */
    static Status of(Visibility.Cache visibility, Stored event, Generation generation, int current, Lane lane) {
        if (event.row() != null) {
            return event.row() == DeliveryState.HELD ? Status.HELD : Status.PENDING;
        }
        if (event.discarded() != null) {
            return event.discarded() ? Status.DISCARDED : Status.FAILED;
        }
        if (generation.number() < current || visibility.covers(lane.mark(), event.txid(), event.seq())) {
            return Status.DELIVERED;
        }
        return visibility.covers(lane.high(), event.txid(), event.seq()) ? Status.SENDING : Status.PENDING;
    }
}
