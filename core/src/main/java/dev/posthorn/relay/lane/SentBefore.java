package dev.posthorn.relay.lane;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.relay.store.DeliveryRow;
import dev.posthorn.relay.store.DeliveryState;
import dev.posthorn.relay.store.Replayed;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a lane had sent, and did not know to be settled, when it lost its connection. All of it comes again, from the log
 * or by its row: what has arrived by then is not sent again, and what is on its way is waited for. An event is known
 * again by its number and its id, because a database that crashed may have given the number to another.
 */
final class SentBefore {

    /** Those that may be read again, by seq. */
    private final Map<Long, LaneEvent> events = new HashMap<>();

    /** Those that may be loaded again: of one event its own row and an item of each replay that it is in. */
    private final Map<Row, LaneEvent> rows = new HashMap<>();

    private record Row(long seq, @Nullable Replayed replay) {
        static Row of(LaneEvent item) {
            return new Row(item.seq(), item.replay());
        }
    }

    /** It comes again as it came. */
    void keep(LaneEvent item) {
        if (item.isLive()) {
            keepEvent(item);
        } else {
            keepRow(item);
        }
    }

    /** It may be read again. */
    void keepEvent(LaneEvent item) {
        events.put(item.seq(), item);
    }

    /** It may be loaded again, or be read if its row came to nothing. */
    void keepRow(LaneEvent item) {
        if (item.state() != DeliveryState.REPLAYED) {
            keepEvent(item);
        }
        rows.put(Row.of(item), item);
    }

    void keepAll(SentBefore earlier) {
        events.putAll(earlier.events);
        rows.putAll(earlier.rows);
    }

    /** From now on they are in nobody's hands, and may come again. */
    void strand() {
        events.values().forEach(LaneEvent::strand);
        rows.values().forEach(LaneEvent::strand);
    }

    boolean isEmpty() {
        return events.isEmpty() && rows.isEmpty();
    }

    /** Whether one that has arrived is yet to be read: until then the mark cannot pass it. */
    boolean awaitsReading() {
        for (LaneEvent item : events.values()) {
            if (item.isDelivered() || item.isInFlight()) {
                return true;
            }
        }
        return false;
    }

    /** The numbers of what may have a row, by a settle that was in doubt too. */
    List<Long> seqs() {
        return Stream.concat(events.keySet().stream(), rows.keySet().stream().map(Row::seq))
                .distinct()
                .toList();
    }

    /** What was sent of the event that is read again; null if nothing was. */
    @Nullable
    LaneEvent read(RecordedEvent event) {
        LaneEvent former = events.remove(event.seq());
        if (former != null) {
            rows.remove(Row.of(former), former);
        }
        return former != null && isSame(former, event) ? former : null;
    }

    /** Whether the row is of what was sent. */
    boolean isOf(DeliveryRow row) {
        return find(LaneEvent.of(row)) != null;
    }

    /** What was sent of the event that is loaded again; null if nothing was. */
    @Nullable
    LaneEvent loaded(LaneEvent again) {
        LaneEvent former = find(again);
        if (former != null) {
            forget(former);
        }
        return former;
    }

    private @Nullable LaneEvent find(LaneEvent again) {
        LaneEvent former = rows.getOrDefault(Row.of(again), events.get(again.seq()));
        boolean same =
                former != null && isSame(former, again.event()) && Objects.equals(former.replay(), again.replay());
        return same ? former : null;
    }

    private static boolean isSame(LaneEvent former, RecordedEvent event) {
        return former.event().event().id().equals(event.event().id());
    }

    /** It has failed, or nobody waits for its answer any more: it is sent anew when it comes again. */
    void forget(LaneEvent item) {
        events.remove(item.seq(), item);
        rows.remove(Row.of(item), item);
    }

    /** All there was has been read again. What has not come is gone. */
    void caughtUp() {
        events.clear();
    }
}
