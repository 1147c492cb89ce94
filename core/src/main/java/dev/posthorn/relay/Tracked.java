package dev.posthorn.relay;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Mark;
import dev.posthorn.sink.Answer;
import dev.posthorn.sink.Outcome;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An event that a lane has read and not yet settled. Belongs to the lane's thread, but for its answer. */
final class Tracked implements Answer {

    private final RecordedEvent event;
    private final Consumer<Tracked> mailbox;
    private final AtomicReference<@Nullable Outcome> outcome = new AtomicReference<>();
    private Mark markAfter;
    private boolean sent;
    private long sentAt;
    private boolean delivered;
    private boolean abandoned;
    private boolean overtook;

    Tracked(RecordedEvent event, Mark markAfter, Consumer<Tracked> mailbox) {
        this.event = event;
        this.markAfter = markAfter;
        this.mailbox = mailbox;
    }

    /** The same event to be sent again after no answer came: one that still comes is no longer heard. */
    Tracked abandon() {
        abandoned = true;
        return new Tracked(event, markAfter, mailbox);
    }

    boolean isAbandoned() {
        return abandoned;
    }

    /** To be sent again after a failure was answered. */
    void rearm() {
        sent = false;
        outcome.set(null);
    }

    @Override
    public void with(Outcome answer) {
        if (outcome.compareAndSet(null, answer)) {
            mailbox.accept(this);
        }
    }

    RecordedEvent event() {
        return event;
    }

    @Nullable
    String key() {
        return event.event().key();
    }

    @Nullable
    Outcome outcome() {
        return outcome.get();
    }

    Mark markAfter() {
        return markAfter;
    }

    /** With this event settled, so is all that follows up to the given mark. */
    void extendMark(Mark further) {
        markAfter = further;
    }

    void sentAt(long nanos) {
        sent = true;
        sentAt = nanos;
    }

    boolean isInFlight() {
        return sent && !delivered;
    }

    long sentAt() {
        return sentAt;
    }

    /** Delivered before an earlier event of its key. True the first time. */
    boolean noteOvertaking() {
        boolean first = !overtook;
        overtook = true;
        return first;
    }

    void deliver() {
        delivered = true;
    }

    boolean isDelivered() {
        return delivered;
    }
}
