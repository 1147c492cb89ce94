package dev.posthorn.relay.lane;

import dev.posthorn.relay.budget.LaneOrders;
import dev.posthorn.relay.budget.LastHeard;
import dev.posthorn.relay.budget.RetryPlaces;
import dev.posthorn.relay.budget.Slots;
import dev.posthorn.relay.lane.trouble.Purpose;
import dev.posthorn.relay.lane.trouble.ReceiverState;
import dev.posthorn.relay.store.Ticker;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.Subscription;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a lane's sink was given and has not answered, and the channel to it. It outlives the connection to the database:
 * what was sent stays sent.
 */
final class InFlight implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(InFlight.class);

    private static final long GRACE = Duration.ofMillis(200).toNanos();

    /** Than others are under way. */
    private static final int MUCH_LONGER = 4;

    private final String lane;
    private final Subscription subscription;
    private final Ticker ticker;
    private final LastHeard lastHeard;
    private final RetryPlaces retryPlaces;
    private final Slots slots;
    private final Consumer<Sending> mailbox;

    /** In order; some have been answered since. */
    private final ArrayDeque<Sending> sent = new ArrayDeque<>(1);

    private @Nullable Channel channel;
    private boolean broken;
    private boolean sinkThrew;
    private int count;

    /** Of these, how many are sent again because they failed. */
    private int retries;

    private long lastAnswer;

    /**
     * @param mailbox takes the sink's answers, from any thread
     * @param signal tells that one more may go, from any thread
     */
    InFlight(
            String lane,
            Subscription subscription,
            LanePorts ports,
            LaneOrders orders,
            Consumer<Sending> mailbox,
            Runnable signal) {
        this.lane = lane;
        this.subscription = subscription;
        this.ticker = ports.ticker();
        this.slots = new Slots(ports.deliveries(), signal);
        this.mailbox = mailbox;
        this.lastHeard = orders.lastHeard();
        this.retryPlaces = orders.retryPlaces();
    }

    int count() {
        return count;
    }

    /**
     * Whether there is a slot for one more. A channel that keeps the order is one connection, whatever is under way on it.
     */
    boolean hasSlot() {
        return subscription.sink().keepsOrder() || slots.isLeft(count);
    }

    /** How many more may go only to see whether the receiver takes any. */
    int triesLeft() {
        return slots.triesLeft(count);
    }

    /**
     * Whether it is the lane's own receiver, or its rate, that keeps it waiting. Only what is under way for that long, and for
     * much longer than is usual, tells of the receiver: when much is to be done all are slow.
     */
    boolean isHeldUp(long nanos) {
        forgetAnswered();
        return sent.isEmpty()
                ? !slots.areAwaited() && !slots.areGiven()
                : ticker.nanos() - sent.element().item().sentAt() >= Math.max(nanos, MUCH_LONGER * slots.usualNanos());
    }

    Slots slots() {
        return slots;
    }

    /** Whether one more may go of those that failed before, of this lane and of all lanes together. */
    boolean mayRetry(int most) {
        return retries < most && retryPlaces.areLeft();
    }

    /** How many probes are on their way, of rows or of live events. */
    int probes(boolean live) {
        int probes = 0;
        for (Sending sending : sent) {
            LaneEvent item = sending.item();
            probes += sending.isAwaited() && item.isProbe() && item.isLive() == live ? 1 : 0;
        }
        return probes;
    }

    /** Whether nobody has answered since the event was sent. */
    boolean isSilentSince(LaneEvent event) {
        return !lastHeard.isSince(event.sentAt());
    }

    List<LaneEvent> items() {
        return sent.stream().filter(Sending::isAwaited).map(Sending::item).toList();
    }

    void send(LaneEvent event, Purpose why) {
        Sending sending = event.send(ticker.nanos(), why, mailbox);
        sent.add(sending);
        count++;
        if (!subscription.sink().keepsOrder()) {
            sending.hasSlot(slots.use(why == Purpose.DELIVERY));
        }
        if (sending.isRetry()) {
            retries++;
            retryPlaces.take();
        }
        try {
            if (channel == null) {
                channel = subscription.sink().open(lane, subscription.timeout());
            }
            channel.send(event.event(), event.attempt(), sending);
        } catch (RuntimeException | VirtualMachineError | LinkageError | AssertionError bug) {
            tellOnce(event, bug);
            sending.with(new Outcome.Retry(ErrorClass.UNKNOWN, "the sink threw " + bug));
        }
    }

    private void tellOnce(LaneEvent event, Throwable bug) {
        if (!sinkThrew) {
            sinkThrew = true;
            log.error(
                    "Lane {}: its sink threw instead of answering, for event {}. That is a bug in the sink; the event is"
                            + " tried again like after any failure. Logged once",
                    lane,
                    event.event().event(),
                    bug);
        }
    }

    void flush() {
        if (channel != null) {
            channel.flush();
        }
    }

    /** Whether the answer is to an event that is still waited for; it is waited for no more. */
    boolean take(Sending answered) {
        if (!answered.isAwaited()) {
            return false;
        }
        land(answered);
        lastAnswer = ticker.nanos();
        Outcome outcome = answered.outcome();
        if (!(outcome instanceof Outcome.Unavailable) && !ReceiverState.isSilence(outcome)) {
            lastHeard.heard(lastAnswer);
            slots.took(lastAnswer - answered.item().sentAt());
        }
        return true;
    }

    private void land(Sending over) {
        over.item().land();
        count--;
        if (!subscription.sink().keepsOrder()) {
            slots.end(over.hasSlot());
        }
        if (over.isRetry()) {
            retries--;
            retryPlaces.giveBack(1);
        }
    }

    /** Whether a sink that keeps the order owes an answer to an event that was sent before this one. */
    boolean isBehindUnanswered(Sending answered) {
        if (broken || !subscription.sink().keepsOrder() || !answered.isAwaited()) {
            return false;
        }
        forgetAnswered();
        return !sent.isEmpty() && sent.element() != answered;
    }

    private void forgetAnswered() {
        while (!sent.isEmpty() && !sent.element().isAwaited()) {
            sent.remove();
        }
    }

    /** A sink that keeps the order delivers nothing after a failure. */
    void failed() {
        broken = subscription.sink().keepsOrder();
    }

    /** Whether the channel has failed: what it still answers is the consequence of that. */
    boolean isBroken() {
        return broken;
    }

    /** The event that is waited for the longest, if that is too long; it is waited for no more. */
    @Nullable
    LaneEvent pollOverdue() {
        forgetAnswered();
        if (sent.isEmpty() || ticker.nanos() - waitingSince() <= patience()) {
            return null;
        }
        Sending overdue = sent.remove();
        land(overdue);
        return overdue.item();
    }

    /** In how many nanoseconds the next answer is overdue; very long if none is owed. */
    long nextOverdueNanos() {
        forgetAnswered();
        return sent.isEmpty() ? Long.MAX_VALUE : waitingSince() + patience() + 1 - ticker.nanos();
    }

    /** A channel that keeps the order works through a queue: as long as it answers at all, it is well. */
    private long waitingSince() {
        long oldest = sent.element().item().sentAt();
        return subscription.sink().keepsOrder() && lastAnswer - oldest > 0 ? lastAnswer : oldest;
    }

    /** A sink that does not keep the order ends what takes too long by itself, and can tell more about it. */
    private long patience() {
        long timeout = subscription.timeout().toNanos();
        return subscription.sink().keepsOrder() ? timeout : timeout + GRACE;
    }

    /** Ends the channel and waits for nothing any more; returns what it had taken, some of it answered. */
    List<LaneEvent> giveUp() {
        close();
        List<LaneEvent> taken = sent.stream().map(Sending::item).toList();
        taken.forEach(LaneEvent::land);
        sent.clear();
        count = 0;
        broken = false;
        return taken;
    }

    /** The lane is over. */
    void end() {
        slots.end();
        close();
    }

    /** Ends the channel; nothing that has not left yet is sent any more. */
    @Override
    public void close() {
        retryPlaces.giveBack(retries);
        retries = 0;
        slots.giveBackAll();
        if (channel != null) {
            channel.close();
            channel = null;
        }
    }

    /** The answers of a lane's sink, in the order in which the lane takes them. */
    static final class Answers {

        private final Queue<Sending> came = new ConcurrentLinkedQueue<>();

        /**
         * Failures of events in front of which others have no answer yet. Taken at once, they would close the channel on
         * those, and one of their key would be held behind an event that it came before.
         */
        private final Queue<Sending> early = new ArrayDeque<>(1);

        /** From any thread. */
        void add(Sending answered) {
            came.add(answered);
        }

        @Nullable
        Sending next(InFlight sent) {
            for (Sending answered = came.poll(); answered != null; answered = came.poll()) {
                if (!(answered.outcome() instanceof Outcome.Failure) || !sent.isBehindUnanswered(answered)) {
                    return answered;
                }
                early.add(answered);
            }
            return early.isEmpty() || sent.isBehindUnanswered(early.element()) ? null : early.remove();
        }

        /** Whether none has come that is still to be looked at. */
        boolean isEmpty() {
            return came.isEmpty();
        }
    }
}
