package dev.posthorn.relay;

import dev.posthorn.log.Guard;
import dev.posthorn.log.Guards;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The keys whose later events have to wait. A key is blocked while one of its events is to be sent again, while a dead
 * letter holds it, while its held events are on their way, and until the commit of whatever changed that: only then are
 * the rows the truth about what is in front of a new event.
 */
final class BlockedKeys {

    /** What a key waits for. */
    private static final class Block {
        private int waiting;
        private int holding;
        private int loaded;

        boolean isClear() {
            return waiting == 0 && holding == 0 && loaded == 0;
        }
    }

    private final Guards guards;
    private final Map<String, Block> blocks = new HashMap<>();

    /** Of these, the ones that wait for nothing any more but the next commit. */
    private final Set<String> clear = new LinkedHashSet<>();

    BlockedKeys(Guards guards) {
        this.guards = guards;
    }

    void restore(String key, int waiting, int holding) {
        Block block = new Block();
        block.waiting = waiting;
        block.holding = holding;
        blocks.put(key, block);
        review(key, block);
    }

    boolean contains(@Nullable String key) {
        return key != null && blocks.containsKey(key);
    }

    /** Whether something stands in front of the key's held events. */
    boolean holdsBack(@Nullable String key) {
        Block block = key == null ? null : blocks.get(key);
        return block != null && (block.waiting > 0 || block.holding > 0);
    }

    int size() {
        return blocks.size();
    }

    /** How many wait for more than the next commit. */
    int waiting() {
        return blocks.size() - clear.size();
    }

    /**
     * Something about the key changes: how many of its events are to be sent again, how many of its dead letters hold it,
     * how many of its rows are in the lane's hands. If nothing of that is left, it is blocked until the next commit.
     */
    void change(@Nullable String key, int waiting, int holding, int loaded) {
        if (key == null) {
            return;
        }
        Block block = blocks.computeIfAbsent(key, k -> new Block());
        block.waiting += waiting;
        block.holding += holding;
        block.loaded += loaded;
        review(key, block);
    }

    private void review(String key, Block block) {
        if (block.isClear()) {
            clear.add(key);
            if (!guards.hold(Guard.UNBLOCK_AFTER_COMMIT)) {
                unblock(key);
            }
        } else {
            clear.remove(key);
        }
    }

    boolean anyClear() {
        return !clear.isEmpty();
    }

    /** Keys that wait for the next commit only. */
    List<String> clear(int limit) {
        return clear.stream().limit(limit).toList();
    }

    /** Nothing of the key is left in front of its next event. To be called after the commit, with no row found. */
    void unblock(String key) {
        clear.remove(key);
        blocks.remove(key);
    }
}
