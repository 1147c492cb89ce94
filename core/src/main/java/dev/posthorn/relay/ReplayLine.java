package dev.posthorn.relay;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The items of replays that wait to be sent, in order. */
final class ReplayLine implements Iterable<Tracked> {

    private final ArrayDeque<Tracked> items = new ArrayDeque<>();
    private final Consumer<Tracked> forget;

    /**
     * @param forget takes items that leave the lane's hands without an outcome
     */
    ReplayLine(Consumer<Tracked> forget) {
        this.forget = forget;
    }

    void add(Tracked item) {
        items.add(item);
    }

    int size() {
        return items.size();
    }

    boolean isEmpty() {
        return items.isEmpty();
    }

    @Override
    public Iterator<Tracked> iterator() {
        return items.iterator();
    }

    Stream<Tracked> stream() {
        return items.stream();
    }

    /** All of them leave the lane's hands. */
    void takeBackAll() {
        takeBack(item -> true);
    }

    void takeBackReplay(long replayId) {
        takeBack(item -> Objects.requireNonNull(item.replay()).replayId() == replayId);
    }

    void takeBackKey(String key) {
        takeBack(item -> key.equals(item.key()));
    }

    private void takeBack(Predicate<Tracked> which) {
        List<Tracked> some = items.stream().filter(which).toList();
        items.removeAll(some);
        some.forEach(forget);
    }
}
