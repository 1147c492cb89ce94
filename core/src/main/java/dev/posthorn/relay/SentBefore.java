package dev.posthorn.relay;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Guard;
import dev.posthorn.log.Guards;
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

    private final Guards guards;

    /** Those that may be read again, and those that may be loaded again, by seq. */
    private final Map<Long, Tracked> events = new HashMap<>();

    private final Map<Long, Tracked> rows = new HashMap<>();

    SentBefore(Guards guards) {
        this.guards = guards;
    }

    /** It comes again as it came. */
    void keep(Tracked item) {
        if (item.isLive()) {
            keepEvent(item);
        } else {
            keepRow(item);
        }
    }

    /** It may be read again. */
    void keepEvent(Tracked item) {
        events.put(item.seq(), item);
    }

    /** It may be loaded again, or be read if its row came to nothing. */
    void keepRow(Tracked item) {
        if (item.state() != DeliveryState.REPLAYED) {
            keepEvent(item);
        }
        rows.put(item.seq(), item);
    }

    void keepAll(SentBefore earlier) {
        events.putAll(earlier.events);
        rows.putAll(earlier.rows);
    }

    /** From now on they are in nobody's hands, and may come again. */
    void strand() {
        events.values().forEach(Tracked::strand);
        rows.values().forEach(Tracked::strand);
    }

    boolean isEmpty() {
        return events.isEmpty() && rows.isEmpty();
    }

    /** Whether one that has arrived is yet to be read: until then the mark cannot pass it. */
    boolean awaitsReading() {
        return events.values().stream().anyMatch(item -> item.isDelivered() || item.isInFlight());
    }

    /** The numbers of what may have a row, by a settle that was in doubt too. */
    List<Long> seqs() {
        return Stream.concat(events.keySet().stream(), rows.keySet().stream())
                .distinct()
                .toList();
    }

    /** What was sent of the event that is read again; null if nothing was. */
    @Nullable
    Tracked read(RecordedEvent event) {
        Tracked former = events.remove(event.seq());
        rows.remove(event.seq(), former);
        return former != null && isSame(former, event) ? former : null;
    }

    /** Whether the row is of what was sent. */
    boolean isOf(DeliveryRow row) {
        return find(Tracked.of(row)) != null;
    }

    /** What was sent of the event that is loaded again; null if nothing was. */
    @Nullable
    Tracked loaded(Tracked again) {
        Tracked former = find(again);
        if (former != null) {
            forget(former);
        }
        return former;
    }

    private @Nullable Tracked find(Tracked again) {
        Tracked former = rows.getOrDefault(again.seq(), events.get(again.seq()));
        boolean same =
                former != null && isSame(former, again.event()) && Objects.equals(former.replay(), again.replay());
        return same ? former : null;
    }

    private boolean isSame(Tracked former, RecordedEvent event) {
        return former.event().event().id().equals(event.event().id()) || !guards.hold(Guard.KNOWN_BY_ID);
    }

    /** It has failed, or nobody waits for its answer any more: it is sent anew when it comes again. */
    void forget(Tracked item) {
        events.remove(item.seq(), item);
        rows.remove(item.seq(), item);
    }

    /** All there was has been read again. What has not come is gone. */
    void caughtUp() {
        events.clear();
    }
}
