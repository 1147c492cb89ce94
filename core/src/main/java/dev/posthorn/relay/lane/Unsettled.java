package dev.posthorn.relay.lane;

import dev.posthorn.log.Mark;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The events that a lane has read and not settled, in order. */
final class Unsettled implements Iterable<LaneEvent> {

    private final ArrayDeque<LaneEvent> unsettled = new ArrayDeque<>(1);
    private long bytes;

    void add(LaneEvent event) {
        unsettled.add(event);
        bytes += event.event().bytes();
    }

    @Override
    public Iterator<LaneEvent> iterator() {
        return unsettled.iterator();
    }

    /** With the last event that was read, everything up to this mark is settled. False if there is none. */
    boolean extendLast(Mark mark) {
        LaneEvent last = unsettled.peekLast();
        if (last == null) {
            return false;
        }
        last.extendMark(mark);
        return true;
    }

    /** The next event that is done and has none before it that is not. */
    @Nullable
    LaneEvent pollSettled() {
        LaneEvent first = unsettled.peek();
        if (first == null || !first.isDone()) {
            return null;
        }
        unsettled.remove();
        bytes -= first.event().bytes();
        return first;
    }

    /** The events that were read and neither delivered nor set aside. */
    List<LaneEvent> unsent() {
        return unsettled.stream().filter(event -> !event.isDone()).toList();
    }

    /** The events that were not sent, yet stand between the mark and one that was delivered. */
    List<LaneEvent> unsentBeforeDelivered() {
        List<LaneEvent> unsent = new ArrayList<>();
        int count = 0;
        for (LaneEvent event : unsettled) {
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
    LaneEvent find(long seq) {
        return unsettled.stream().filter(item -> item.seq() == seq).findFirst().orElse(null);
    }

    /** The last event that is on its way or done. */
    @Nullable
    LaneEvent lastHandedOver() {
        Iterator<LaneEvent> fromTheEnd = unsettled.descendingIterator();
        while (fromTheEnd.hasNext()) {
            LaneEvent event = fromTheEnd.next();
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
