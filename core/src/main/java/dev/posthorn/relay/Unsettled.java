package dev.posthorn.relay;

import dev.posthorn.log.Guard;
import dev.posthorn.log.Guards;
import dev.posthorn.log.Mark;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The events that a lane has read and not settled, in order. */
final class Unsettled implements Iterable<Tracked> {

    private final Guards guards;
    private final ArrayDeque<Tracked> unsettled = new ArrayDeque<>();
    private long bytes;

    Unsettled(Guards guards) {
        this.guards = guards;
    }

    void add(Tracked event) {
        unsettled.add(event);
        bytes += event.event().bytes();
    }

    @Override
    public Iterator<Tracked> iterator() {
        return unsettled.iterator();
    }

    /** With the last event that was read, everything up to this mark is settled. False if there is none. */
    boolean extendLast(Mark mark) {
        Tracked last = unsettled.peekLast();
        if (last == null) {
            return false;
        }
        last.extendMark(mark);
        return true;
    }

    /** The next event that is done and has none before it that is not. */
    @Nullable
    Tracked pollSettled() {
        Tracked first = unsettled.peek();
        if (first != null && !first.isDone() && !guards.hold(Guard.MARK_WITHOUT_HOLES)) {
            first = unsettled.stream().filter(Tracked::isDone).findFirst().orElse(null);
        }
        if (first == null || !(first.isDone() || isSettledTooEarly(first))) {
            return null;
        }
        unsettled.remove(first);
        bytes -= first.event().bytes();
        return first;
    }

    private boolean isSettledTooEarly(Tracked first) {
        return first.isInFlight() && !guards.hold(Guard.SETTLE_AFTER_ANSWER);
    }

    /** The events that were read and neither delivered nor set aside. */
    List<Tracked> unsent() {
        return unsettled.stream().filter(event -> !event.isDone()).toList();
    }

    /** The events that were not sent, yet stand between the mark and one that was delivered. */
    List<Tracked> unsentBeforeDelivered() {
        List<Tracked> unsent = new ArrayList<>();
        int count = 0;
        for (Tracked event : unsettled) {
            if (event.isDelivered()) {
                count = unsent.size();
            } else if (!event.isDone()) {
                unsent.add(event);
            }
        }
        return unsent.subList(0, count);
    }

    /** The live event of that seq, if it is in the lane's hands. */
    @Nullable
    Tracked find(long seq) {
        return unsettled.stream().filter(item -> item.seq() == seq).findFirst().orElse(null);
    }

    /** The last event that is on its way or done. */
    @Nullable
    Tracked lastHandedOver() {
        Iterator<Tracked> fromTheEnd = unsettled.descendingIterator();
        while (fromTheEnd.hasNext()) {
            Tracked event = fromTheEnd.next();
            if (event.isInFlight() || event.isDone()) {
                return event;
            }
        }
        return null;
    }

    int size() {
        return unsettled.size();
    }

    boolean isEmpty() {
        return unsettled.isEmpty();
    }

    long bytes() {
        return bytes;
    }
}
