package dev.posthorn.relay.lane;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Live events that were tried and failed without that having counted, each with those of its key that came after it.
 * They stand aside, so that what was not tried comes next.
 */
final class Tried {

    private static final Comparator<LaneEvent> AS_READ = Comparator.comparingLong(LaneEvent::number);

    private final boolean ordered;

    /** By key, or each event by itself; the one that was tried longest ago first. Without its head while that is sent. */
    private final Map<Object, PriorityQueue<LaneEvent>> groups = new LinkedHashMap<>();

    /** @param ordered whether events of a key go one after the other */
    Tried(boolean ordered) {
        this.ordered = ordered;
    }

    private Object group(LaneEvent item) {
        String key = item.key();
        return ordered && key != null ? key : item;
    }

    boolean isEmpty() {
        return groups.isEmpty();
    }

    /** Takes the event if it was tried, or one of its key before it. */
    boolean takes(LaneEvent item) {
        Object group = group(item);
        PriorityQueue<LaneEvent> members = groups.get(group);
        if (members == null && !item.isTried()) {
            return false;
        }
        if (members == null) {
            members = new PriorityQueue<>(AS_READ);
            groups.put(group, members);
        }
        members.add(item);
        return true;
    }

    /** The one that was tried longest ago, to be tried again. What is behind it stays. */
    @Nullable
    LaneEvent pollOldest(KeyTurns turns) {
        Iterator<Map.Entry<Object, PriorityQueue<LaneEvent>>> each =
                groups.entrySet().iterator();
        while (each.hasNext()) {
            Map.Entry<Object, PriorityQueue<LaneEvent>> next = each.next();
            PriorityQueue<LaneEvent> members = next.getValue();
            dropSetAside(members);
            LaneEvent head = members.peek();
            if (head != null && turns.isFree(head)) {
                members.remove();
                each.remove();
                groups.put(next.getKey(), members);
                return head;
            }
        }
        return null;
    }

    private static void dropSetAside(PriorityQueue<LaneEvent> members) {
        while (!members.isEmpty() && members.element().isSetAside()) {
            members.remove();
        }
    }

    /** Up to so many that were tried, those that were read first; what is behind them comes with them, to be sorted out. */
    List<LaneEvent> takeHeads(int most, List<LaneEvent> behind) {
        if (groups.isEmpty()) {
            return List.of();
        }
        List<LaneEvent> heads = groups.values().stream()
                .filter(members -> !members.isEmpty() && members.element().isTried())
                .map(PriorityQueue::element)
                .sorted(AS_READ)
                .limit(most)
                .toList();
        for (LaneEvent head : heads) {
            behind.addAll(takeAll(head));
        }
        behind.removeAll(heads);
        return heads.stream().filter(head -> !head.isSetAside()).toList();
    }

    /** The event will not come back here: what is behind it goes on without it. */
    List<LaneEvent> takeAll(LaneEvent head) {
        PriorityQueue<LaneEvent> members = groups.remove(group(head));
        return members == null ? List.of() : members.stream().sorted(AS_READ).toList();
    }

    /** All of them, in the order in which they were read. */
    List<LaneEvent> takeAll() {
        List<LaneEvent> all = new ArrayList<>();
        groups.values().forEach(all::addAll);
        groups.clear();
        all.sort(AS_READ);
        return all;
    }

    Stream<LaneEvent> stream() {
        return groups.values().stream().flatMap(PriorityQueue::stream);
    }

    void removeAll(Set<LaneEvent> some) {
        groups.values().forEach(members -> members.removeIf(some::contains));
        groups.values().removeIf(PriorityQueue::isEmpty);
    }
}
