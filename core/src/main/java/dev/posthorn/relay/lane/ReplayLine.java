package dev.posthorn.relay.lane;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The items of replays that wait to be sent, in order. */
final class ReplayLine implements Iterable<LaneEvent> {

    private final ArrayDeque<LaneEvent> items = new ArrayDeque<>(1);

    void add(LaneEvent item) {
        items.add(item);
    }

    int size() {
        return items.size();
    }

    boolean isEmpty() {
        return items.isEmpty();
    }

    @Override
    public Iterator<LaneEvent> iterator() {
        return items.iterator();
    }

    Stream<LaneEvent> stream() {
        return items.stream();
    }

    List<LaneEvent> takeAll() {
        return take(item -> true);
    }

    List<LaneEvent> takeReplay(long replayId) {
        return take(item -> Objects.requireNonNull(item.replay()).replayId() == replayId);
    }

    List<LaneEvent> takeKey(String key) {
        return take(item -> key.equals(item.key()));
    }

    private List<LaneEvent> take(Predicate<LaneEvent> which) {
        if (items.isEmpty()) {
            return List.of();
        }
        List<LaneEvent> some = items.stream().filter(which).toList();
        items.removeAll(some);
        return some;
    }
}
