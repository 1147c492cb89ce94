package dev.posthorn.relay.lane;

import dev.posthorn.sink.Answer;
import dev.posthorn.sink.Outcome;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One event on its way to the sink, once: an answer that comes twice, or too late, finds nobody to hear it. */
final class Sending implements Answer {

    private LaneEvent item;
    private final Consumer<Sending> mailbox;
    private final boolean retry;
    private boolean slot;
    private final AtomicReference<@Nullable Outcome> outcome = new AtomicReference<>();

    Sending(LaneEvent item, Consumer<Sending> mailbox) {
        this.item = item;
        this.mailbox = mailbox;
        this.retry = item.isRetry();
    }

    /** Whether it was sent again because it had failed. */
    boolean isRetry() {
        return retry;
    }

    /** Whether it has one of the slots of its relay; for the lane's thread only. */
    boolean hasSlot() {
        return slot;
    }

    void hasSlot(boolean has) {
        slot = has;
    }

    @Override
    public void with(Outcome answer) {
        if (outcome.compareAndSet(null, answer)) {
            mailbox.accept(this);
        }
    }

    /** Whose answer it is; for the lane's thread only. */
    LaneEvent item() {
        return item;
    }

    /** The event was read anew: the answer is that one's from now on. */
    void moveTo(LaneEvent same) {
        item = same;
    }

    /** Whether its answer is still waited for. */
    boolean isAwaited() {
        return item.isOn(this);
    }

    Outcome outcome() {
        return Objects.requireNonNull(outcome.get());
    }
}
