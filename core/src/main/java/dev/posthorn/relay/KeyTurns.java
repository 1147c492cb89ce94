package dev.posthorn.relay;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One event of a key at a time, for sinks that do not keep the order by themselves. */
final class KeyTurns {

    private final Map<String, ArrayDeque<Tracked>> waiting = new HashMap<>();

    /** Whether it is this event's turn; if not, it is remembered behind the others of its key. */
    boolean take(Tracked event) {
        String key = event.key();
        if (key == null) {
            return true;
        }
        ArrayDeque<Tracked> behind = waiting.get(key);
        if (behind == null) {
            waiting.put(key, new ArrayDeque<>(0));
            return true;
        }
        behind.add(event);
        return false;
    }

    /** Whether no other event of its key has the turn. */
    boolean isFree(Tracked event) {
        return event.key() == null || !waiting.containsKey(event.key());
    }

    /** The key's event was delivered; whose turn is it now? */
    @Nullable
    Tracked next(Tracked delivered) {
        String key = delivered.key();
        ArrayDeque<Tracked> behind = key == null ? null : waiting.get(key);
        Tracked next = behind == null ? null : behind.poll();
        if (key != null && next == null) {
            waiting.remove(key);
        }
        return next;
    }

    /** The key's event failed; who was behind it, in order? */
    Collection<Tracked> end(Tracked failed) {
        String key = failed.key();
        ArrayDeque<Tracked> behind = key == null ? null : waiting.remove(key);
        return behind == null ? List.of() : behind;
    }

    /** Everyone who is behind another. */
    List<Tracked> all() {
        return waiting.values().stream().flatMap(Collection::stream).toList();
    }

    void clear() {
        waiting.clear();
    }
}
