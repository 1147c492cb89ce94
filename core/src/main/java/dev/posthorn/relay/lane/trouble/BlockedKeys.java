package dev.posthorn.relay.lane.trouble;

import static java.util.stream.Collectors.toSet;

import dev.posthorn.relay.store.LaneStore;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The keys whose later events have to wait. A key is blocked while one of its events is to be sent again, while a dead
 * letter holds it, while its held events are on their way, and until the commit of whatever changed that: only then are
 * the rows the truth about what is in front of a new event.
 *
 * <p>Beyond a number only those are kept of which the store does not have all that is to be known, or an event is in the
 * lane's hands; the others are asked for when an event of theirs comes.
 */
public final class BlockedKeys {

    /** What a key waits for. */
    private static final class Block {
        private int waiting;
        private int holding;
        private int loaded;

        boolean isClear() {
            return waiting == 0 && holding == 0 && loaded == 0;
        }

        /** Whether all that is to be known of it is in the store. */
        boolean isInStore() {
            return loaded == 0 && !isClear();
        }
    }

    private final int limit;
    private final Map<String, Block> blocks = new HashMap<>();

    /** Of these, the ones that wait for nothing any more but the next commit. */
    private final Set<String> clear = new LinkedHashSet<>();

    /** How many are known to the store alone. */
    private int elsewhere;

    public BlockedKeys(int limit) {
        this.limit = limit;
    }

    public void restore(LaneStore.Blocked blocked) {
        blocked.keys().forEach(this::restore);
        elsewhere = blocked.others();
    }

    /** Of these, the ones that only the store knows about, if anybody does. */
    public Set<String> unknown(Stream<@Nullable String> keys) {
        return elsewhere == 0
                ? Set.of()
                : keys.filter(key -> key != null && !blocks.containsKey(key)).collect(toSet());
    }

    /** They are blocked, as the store says. */
    public void found(Collection<LaneStore.BlockedKey> some) {
        some.forEach(this::restore);
        elsewhere = Math.max(0, elsewhere - some.size());
    }

    public boolean areTooMany() {
        return blocks.size() > limit;
    }

    /** After a commit, with nothing changed since: leaves to the store what nothing in the lane's hands is of. */
    public void leaveToStore(Set<@Nullable String> inHand) {
        Iterator<Map.Entry<String, Block>> each = blocks.entrySet().iterator();
        while (areTooMany() && each.hasNext()) {
            Map.Entry<String, Block> next = each.next();
            if (next.getValue().isInStore() && !inHand.contains(next.getKey())) {
                each.remove();
                elsewhere++;
            }
        }
    }

    private void restore(LaneStore.BlockedKey key) {
        Block block = new Block();
        block.waiting = key.waiting();
        block.holding = key.holding();
        blocks.put(key.key(), block);
        review(key.key(), block);
    }

    public boolean contains(@Nullable String key) {
        return key != null && blocks.containsKey(key);
    }

    /** Whether something stands in front of the key's held events. */
    public boolean holdsBack(@Nullable String key) {
        Block block = key == null ? null : blocks.get(key);
        return block != null && (block.waiting > 0 || block.holding > 0);
    }

    public int size() {
        return blocks.size() + elsewhere;
    }

    /**
     * Something about the key changes: how many of its events are to be sent again, how many of its dead letters hold it,
     * how many of its rows are in the lane's hands. If nothing of that is left, it is blocked until the next commit.
     */
    public void change(@Nullable String key, int waiting, int holding, int loaded) {
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
        } else {
            clear.remove(key);
        }
    }

    public boolean anyClear() {
        return !clear.isEmpty();
    }

    /** Keys that wait for the next commit only. */
    public List<String> clear(int limit) {
        return clear.stream().limit(limit).toList();
    }

    /** Nothing of the key is left in front of its next event. To be called after the commit, with no row found. */
    public void unblock(String key) {
        clear.remove(key);
        blocks.remove(key);
    }
}
