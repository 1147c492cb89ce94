package dev.posthorn.relay.lane;

import dev.posthorn.log.Mark;
import dev.posthorn.relay.budget.Tokens;
import dev.posthorn.relay.lane.trouble.Purpose;
import dev.posthorn.subscription.Subscription;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Takes the events that come into a lane's hands, hands them to the sink and knows which of them are on their way and which
 * have arrived. What waits until then is in the {@link Backlog}.
 */
final class Dispatch {

    private final Subscription subscription;
    private final Tokens tokens;
    private final InFlight sent;
    private final Backlog backlog;
    private final Unsettled unsettled = new Unsettled();

    /** What was sent before the connection was lost and has not come again, and what of it came and has arrived. */
    private final SentBefore before;

    private final ArrayDeque<LaneEvent> arrivedBefore = new ArrayDeque<>(1);

    /** Delivered, and perhaps not behind the persisted mark. */
    private final ArrayDeque<LaneEvent> arrived = new ArrayDeque<>(1);

    /** The last event that was handed over, as far as it has not come back. */
    private @Nullable LaneEvent highest;

    /** Whether an event was handed over and waits to be sent again, so that the highest may not be on its way any more. */
    private boolean cameBack;

    /** How many events were read. */
    private long read;

    /** @param before what was sent before the connection was lost */
    Dispatch(Subscription subscription, Tokens tokens, InFlight sent, SentBefore before, Backlog backlog) {
        this.subscription = subscription;
        this.tokens = tokens;
        this.sent = sent;
        this.before = before;
        this.backlog = backlog;
    }

    /** Read and not settled. */
    Unsettled unsettled() {
        return unsettled;
    }

    // ---- what comes

    /** Takes an event that was read. */
    void add(LaneEvent event) {
        event.number(++read);
        unsettled.add(event);
        LaneEvent former = before.isEmpty() ? null : before.read(event.event());
        if (former == null) {
            backlog.toSend().add(event);
        } else {
            resume(event, former);
        }
    }

    private void resume(LaneEvent event, LaneEvent former) {
        event.resume(former);
        if (event.isDelivered()) {
            arrivedBefore.add(event);
        } else if (event.isInFlight()) {
            raiseHigh(event);
        } else {
            backlog.toSend().add(event);
        }
    }

    /** Whether nothing was read at all. */
    boolean hasReadNothing() {
        return read == 0;
    }

    /** Takes events that have a row. */
    void addRows(Collection<LaneEvent> rows) {
        rows.stream().filter(row -> !resumes(row)).forEach(backlog.toSend()::addRow);
    }

    /** Takes an item of a replay. */
    void addReplay(LaneEvent item) {
        if (!resumes(item)) {
            backlog.replays().add(item);
        }
    }

    /** Whether the item was sent before the connection was lost, and has arrived or is on its way. */
    boolean resumes(LaneEvent row) {
        LaneEvent former = before.isEmpty() ? null : before.loaded(row);
        if (former == null) {
            return false;
        }
        row.resume(former);
        if (row.isDelivered()) {
            arrivedBefore.add(row);
        }
        return !row.isToBeSent();
    }

    /** All there was has been read again, so that what had arrived before it was read is behind what is read now. */
    void caughtUp() {
        before.caughtUp();
        arrived.forEach(item -> item.deliver(read));
    }

    /** Whether events that were sent before the connection was lost have yet to come again. */
    boolean awaitsReading() {
        return before.awaitsReading();
    }

    /** Whether nothing that was sent has to be known again. */
    boolean remembersOnlyLive() {
        return before.isEmpty() && arrivedBefore.isEmpty() && arrived.stream().allMatch(LaneEvent::isLive);
    }

    /** Knows again an event that was delivered before the lane fell asleep. */
    void remember(LaneEvent delivered) {
        delivered.number(++read);
        arrive(delivered);
    }

    // ---- what goes

    /** Hands the event over; the caller flushes when it has no more. */
    void send(LaneEvent event, Purpose why) {
        if (event.needsToken()) {
            tokens.spend();
        }
        backlog.toSend().sent(event);
        raiseHigh(event);
        sent.send(event, why);
    }

    private void raiseHigh(LaneEvent event) {
        if (event.isLive() && (highest == null || event.number() > highest.number())) {
            highest = event;
        }
    }

    /** Sends one event by itself. */
    void sendAlone(LaneEvent event, Purpose why) {
        send(event, why);
        sent.flush();
    }

    /** How far events were handed over and have not come back; the mark itself if none is on its way. */
    Mark high(Mark mark) {
        if (cameBack) {
            highest = unsettled.lastHandedOver();
            cameBack = false;
        }
        return highest == null || unsettled.isEmpty() ? mark : highest.markAfter();
    }

    /** Every live event that is not sent yet; those whose turn had come wait in the queue again. */
    List<LaneEvent> recallUnsent() {
        for (LaneEvent next = backlog.pollLastReady(); next != null; next = backlog.pollLastReady()) {
            again(next);
        }
        return backlog.toSend().live();
    }

    // ---- what arrives

    /** The event has arrived: the next of its key may go. */
    void delivered(LaneEvent event) {
        if (event.isStranded()) {
            event.deliver(read);
        } else {
            arrive(event);
        }
        backlog.passTurn(event);
    }

    private void arrive(LaneEvent event) {
        event.deliver(read);
        arrived.add(event);
    }

    /** The next event that came again and had arrived before the connection was lost. */
    @Nullable
    LaneEvent pollArrivedBefore() {
        LaneEvent event = arrivedBefore.poll();
        if (event != null) {
            arrive(event);
        }
        return event;
    }

    /**
     * Of what was read, so many are behind the persisted mark.
     *
     * @param caughtUp whether all there was has been read again; until then what arrived by its row may yet be read
     */
    void written(long number, boolean caughtUp) {
        if (!caughtUp) {
            arrived.removeIf(item -> item.isLive() && item.number() <= number);
        }
        while (caughtUp && !arrived.isEmpty() && arrived.element().arrivedAt() <= number) {
            arrived.remove();
        }
    }

    /** All that was sent and is not known to be settled, for who goes on after the connection was lost. */
    void keepSent(SentBefore kept) {
        kept.keepAll(before);
        arrived.forEach(kept::keepEvent);
        arrivedBefore.forEach(kept::keep);
        sent.items().forEach(kept::keep);
    }

    // ---- what comes back

    /** The event has failed and got a row or a dead letter. */
    void setAside(LaneEvent event) {
        event.setAside();
        backlog.toSend().setAside(event);
        endTurn(event);
    }

    /** The event has failed and stays what it was. */
    void again(LaneEvent event) {
        endTurn(event);
        if (!event.isLive()) {
            backlog.putDown(event);
            return;
        }
        cameBack = true;
        if (!subscription.sink().keepsOrder()) {
            backlog.toSend().addFirst(event);
        }
    }

    /** The event has failed that was sent before the connection was lost: when it comes again, it is sent anew. */
    void failedBefore(LaneEvent event) {
        before.forget(event);
        endTurn(event);
    }

    /** A sink that keeps the order delivers nothing after a failure. Otherwise it is only the key's turn that ends. */
    private void endTurn(LaneEvent failed) {
        sent.failed();
        backlog.giveBackTurn(failed);
    }

    /**
     * Ends the channel. Live events without an answer are sent anew from the first on; rows are put down. Returns the
     * events that are known from now on to have been delivered before an earlier one of their key.
     */
    List<LaneEvent> rewind() {
        List<LaneEvent> taken = sent.giveUp();
        taken.stream().filter(item -> !item.isDelivered()).forEach(before::forget);
        List<LaneEvent> again = unsettled.unsent();
        List<LaneEvent> overtaken = overtaken();
        cameBack = true;
        backlog.beginAnew(again, taken);
        return overtaken;
    }

    private List<LaneEvent> overtaken() {
        List<LaneEvent> overtaken = new ArrayList<>();
        Set<String> failedKeys = new HashSet<>();
        for (LaneEvent event : unsettled) {
            String key = event.key();
            if (event.isDelivered() && key != null && failedKeys.contains(key) && event.noteOvertaking()) {
                overtaken.add(event);
            }
            if (!event.isDone() && key != null) {
                failedKeys.add(key);
            }
        }
        return overtaken;
    }
}
