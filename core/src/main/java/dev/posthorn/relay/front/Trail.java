package dev.posthorn.relay.front;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Batch;
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

    private int heldEvents;
    private long heldBytes;

    Trail(Mark start) {
        this.end = start;
    }

    /** The event is about to be handed out. */
    Handed next(Batch batch, RecordedEvent event, long read, long now) {
        return new Handed(this, number + 1, batch, event, read, now);
    }

    void add(Handed event) {
        number = event.number();
        handed.add(event);
    }

    /** How many deliveries somebody holds. */
    int held() {
        return held;
    }

    /** How many different events these are of. */
    int heldEvents() {
        return heldEvents;
    }

    long heldBytes() {
        return heldBytes;
    }

    void held(Handed event, boolean first) {
        held++;
        if (first) {
            heldEvents++;
            heldBytes += event.event().bytes();
        }
    }

    void released(Handed event, boolean last) {
        held--;
        if (last) {
            heldEvents--;
            heldBytes -= event.event().bytes();
        }
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
