package dev.posthorn.relay.front;

import dev.posthorn.log.Mark;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** What a front has read and handed out, and how far all of it is settled. */
final class Trail {

    /** Handed out; none before the first is held by anybody. */
    private final ArrayDeque<Handed> handed = new ArrayDeque<>();

    private Mark end;
    private long number;

    /** Whoever holds one counts, once for each. */
    private int held;

    Trail(Mark start) {
        this.end = start;
    }

    /** The event behind this mark is about to be handed out. */
    Handed next(Mark before, long now) {
        return new Handed(this, number + 1, before, now);
    }

    void add(Handed event) {
        number = event.number();
        handed.add(event);
    }

    /** How many deliveries are in the hands of riders. */
    int held() {
        return held;
    }

    void changeHeld(int by) {
        held += by;
    }

    /** All up to here was read. */
    void readTo(Mark mark) {
        end = mark;
    }

    /** How many events were handed out. */
    long number() {
        return number;
    }

    /** The first event that somebody holds. */
    @Nullable
    Handed firstHeld() {
        while (!handed.isEmpty() && !handed.element().isHeld()) {
            handed.remove();
        }
        return handed.peek();
    }

    /** How many of the events that were handed out are settled by all who had them, with all before them. */
    long settledNumber() {
        Handed first = firstHeld();
        return first == null ? number : first.number() - 1;
    }

    /** How far all is settled. */
    Mark settled() {
        Handed first = firstHeld();
        return first == null ? end : first.before();
    }
}
