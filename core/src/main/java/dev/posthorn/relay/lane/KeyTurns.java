package dev.posthorn.relay.lane;

import dev.posthorn.subscription.Ordering;
import dev.posthorn.subscription.Subscription;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One event of a key at a time, for sinks that do not keep the order by themselves. */
final class KeyTurns {

    /** Whether events of a key go one after the other, and the sink does not see to it by itself. */
    private final boolean needed;

    private final Map<String, ArrayDeque<LaneEvent>> waiting = new HashMap<>();

    KeyTurns(Subscription subscription) {
        this.needed =
                subscription.ordering() == Ordering.KEY && !subscription.sink().keepsOrder();
    }

    boolean areNeeded() {
        return needed;
    }

    /** Whether it is this event's turn; if not, it is remembered behind the others of its key. */
    boolean take(LaneEvent event) {
        String key = event.key();
        if (!needed || key == null) {
            return true;
        }
        ArrayDeque<LaneEvent> behind = waiting.get(key);
        if (behind == null) {
            waiting.put(key, new ArrayDeque<>(0));
            return true;
        }
        behind.add(event);
        return false;
    }

    /** Whether no other event of its key has the turn. */
    boolean isFree(LaneEvent event) {
        return !needed || event.key() == null || !waiting.containsKey(event.key());
    }

    /** The key's event was delivered; whose turn is it now? */
    @Nullable
    LaneEvent next(LaneEvent delivered) {
        String key = delivered.key();
        ArrayDeque<LaneEvent> behind = key == null ? null : waiting.get(key);
        LaneEvent next = behind == null ? null : behind.poll();
        if (key != null && next == null) {
            waiting.remove(key);
        }
        return next;
    }

    /** The key's event failed; who was behind it, in order? */
    Collection<LaneEvent> end(LaneEvent failed) {
        String key = failed.key();
        ArrayDeque<LaneEvent> behind = key == null ? null : waiting.remove(key);
        return behind == null ? List.of() : behind;
    }

    /** Everyone who is behind another. */
    List<LaneEvent> all() {
        return waiting.values().stream().flatMap(Collection::stream).toList();
    }

    void clear() {
        waiting.clear();
    }
}
