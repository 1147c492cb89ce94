package dev.posthorn.relay;

import dev.posthorn.log.Guard;
import dev.posthorn.log.Guards;
import dev.posthorn.log.Mark;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.Outcome;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The events between a lane's read and its mark: hands them to the sink in order, and again after a failure.
 *
 * <p>While the sink is failing the lane is suspended: nothing is read or sent until a short delay is over, then it goes
 * on from the first event that has no answer.
 */
final class Dispatch implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Dispatch.class);

    private static final long FIRST_DELAY = Duration.ofSeconds(1).toNanos();
    private static final long LONGEST_DELAY = Duration.ofSeconds(5).toNanos();

    private final String lane;
    private final Subscription subscription;
    private final Lease lease;
    private final LaneCounters counters;
    private final Ticker ticker;
    private final Guards guards;

    /** Read and not settled, in order. */
    private ArrayDeque<Tracked> unsettled = new ArrayDeque<>();

    /** Of these: not sent yet; next of their key; sent, in order of sending. */
    private ArrayDeque<Tracked> toSend = new ArrayDeque<>();

    private final ArrayDeque<Tracked> ready = new ArrayDeque<>();
    private final ArrayDeque<Tracked> sent = new ArrayDeque<>();
    private final KeyTurns turns = new KeyTurns();
    private @Nullable Channel channel;
    private @Nullable Mark high;
    private @Nullable String brokenBecause;
    private int inFlight;
    private long bytes;
    private long lastAnswer;
    private boolean rejected;
    private long delay;
    private long suspendedUntil;
    private boolean suspended;

    Dispatch(String lane, Subscription subscription, Lease lease, LaneCounters counters, Ticker ticker, Guards guards) {
        this.lane = lane;
        this.subscription = subscription;
        this.lease = lease;
        this.counters = counters;
        this.ticker = ticker;
        this.guards = guards;
    }

    /** Takes an event that was read. */
    void add(Tracked event) {
        unsettled.add(event);
        toSend.add(event);
        bytes += event.event().bytes();
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

    /** The next delivered event that has none undelivered before it. */
    @Nullable
    Tracked pollSettled() {
        Tracked first = unsettled.peek();
        if (first != null && !first.isDelivered() && !guards.hold(Guard.MARK_WITHOUT_HOLES)) {
            first = unsettled.stream().filter(Tracked::isDelivered).findFirst().orElse(null);
        }
        if (first == null || !first.isDelivered()) {
            return null;
        }
        unsettled.remove(first);
        bytes -= first.event().bytes();
        return first;
    }

    /** Takes the sink's answer. False if it rejects the event. */
    boolean take(Tracked answered) {
        inFlight--;
        lastAnswer = ticker.nanos();
        Outcome outcome = answered.outcome();
        if (outcome instanceof Outcome.Delivered) {
            delivered(answered);
            return true;
        }
        rejected |= outcome instanceof Outcome.Reject;
        String reason = String.valueOf(outcome);
        if (subscription.sink().keepsOrder()) {
            brokenBecause = brokenBecause == null ? reason : brokenBecause;
        } else if (!(outcome instanceof Outcome.Reject)) {
            answered.rearm();
            ready.addFirst(answered);
            suspend(reason, outcome instanceof Outcome.Retry retry ? retry.after() : null);
        }
        return !(outcome instanceof Outcome.Reject);
    }

    private void delivered(Tracked event) {
        event.deliver();
        if (delay != 0 && !suspended && ticker.nanos() - suspendedUntil > LONGEST_DELAY) {
            delay = 0;
            log.info("Lane {}: the sink answers again", lane);
        }
        if (!subscription.sink().keepsOrder()) {
            Tracked next = turns.next(event);
            if (next != null) {
                ready.add(next);
            }
        }
    }

    /** Ends a channel that has failed, or that owes an answer for too long. What it has not answered is sent anew. */
    void giveUpOverdue() {
        while (!sent.isEmpty() && !sent.element().isInFlight()) {
            sent.remove();
        }
        if (brokenBecause == null && inFlight > 0) {
            brokenBecause = overdue();
        }
        if (brokenBecause != null) {
            String reason = brokenBecause;
            rewind();
            if (!rejected) {
                suspend(reason, null);
            }
        }
    }

    private @Nullable String overdue() {
        if (lease.trustNanos() <= 0 && guards.hold(Guard.TRUST_OUTLASTS_SEND)) {
            return "the lease was not renewed in time";
        }
        return ticker.nanos() - waitingSince() > timeout()
                ? "no answer within " + subscription.timeout().toMillis() + " ms"
                : null;
    }

    /** A channel that keeps the order works through a queue: as long as it answers at all, it is well. */
    private long waitingSince() {
        long oldest = sent.element().sentAt();
        return subscription.sink().keepsOrder() && lastAnswer - oldest > 0 ? lastAnswer : oldest;
    }

    private void rewind() {
        close();
        brokenBecause = null;
        inFlight = 0;
        sent.clear();
        ready.clear();
        turns.clear();
        ArrayDeque<Tracked> anew = new ArrayDeque<>();
        toSend = new ArrayDeque<>();
        Set<String> failedKeys = new HashSet<>();
        for (Tracked event : unsettled) {
            String key = event.key();
            if (event.isDelivered()) {
                anew.add(event);
                if (key != null && failedKeys.contains(key) && event.noteOvertaking()) {
                    counters.countOvertaken();
                }
            } else {
                Tracked again = event.abandon();
                anew.add(again);
                toSend.add(again);
                if (key != null) {
                    failedKeys.add(key);
                }
            }
        }
        unsettled = anew;
    }

    private void suspend(String reason, @Nullable Duration after) {
        if (delay == 0) {
            log.warn("Lane {}: {}. Its events wait and are sent again until the sink takes them", lane, reason);
        }
        if (!suspended) {
            delay = Math.min(Math.max(FIRST_DELAY, 2 * delay), LONGEST_DELAY);
        }
        suspended = true;
        suspendedUntil = ticker.nanos() + (after == null ? delay : Math.min(after.toNanos(), LONGEST_DELAY));
    }

    boolean isSuspended() {
        if (suspended && suspendedUntil - ticker.nanos() <= 0) {
            suspended = false;
        }
        return suspended;
    }

    /** Hands over whatever may go now. */
    void handOver() {
        if ((ready.isEmpty() && toSend.isEmpty()) || isSuspended() || !isTrusted()) {
            return;
        }
        for (Tracked next = ready.poll(); next != null; next = ready.poll()) {
            send(next);
        }
        for (Tracked next = toSend.poll(); next != null; next = toSend.poll()) {
            high = next.markAfter();
            if (subscription.sink().keepsOrder() || turns.take(next)) {
                send(next);
            }
        }
        if (channel != null) {
            channel.flush();
        }
    }

    /** A send that outlives the lease could meet another owner's. */
    private boolean isTrusted() {
        return lease.trustNanos() > (guards.hold(Guard.TRUST_OUTLASTS_SEND) ? timeout() : Long.MIN_VALUE);
    }

    private void send(Tracked event) {
        event.sentAt(ticker.nanos());
        sent.add(event);
        inFlight++;
        try {
            if (channel == null) {
                channel = subscription.sink().open(lane, subscription.timeout());
            }
            channel.send(event.event(), event);
        } catch (RuntimeException bug) {
            log.error(
                    "Lane {}: its sink threw instead of answering, for event {}",
                    lane,
                    event.event().event(),
                    bug);
            event.with(new Outcome.Retry("the sink threw " + bug));
        }
    }

    private long timeout() {
        return subscription.timeout().toNanos();
    }

    /** How far events were handed over; the mark itself if nothing is on its way. */
    Mark high(Mark mark) {
        return high == null || unsettled.isEmpty() ? mark : high;
    }

    /** In how many nanoseconds something is due here; very long if only an answer can change anything. */
    long nextDueNanos() {
        long now = ticker.nanos();
        if (suspended) {
            return suspendedUntil - now;
        }
        if (!ready.isEmpty() || !toSend.isEmpty()) {
            return Duration.ofMillis(10).toNanos();
        }
        return inFlight == 0 || sent.isEmpty() ? Long.MAX_VALUE : waitingSince() + timeout() - now;
    }

    int size() {
        return unsettled.size();
    }

    boolean isEmpty() {
        return unsettled.isEmpty();
    }

    int inFlight() {
        return inFlight;
    }

    long bytes() {
        return bytes;
    }

    /** Ends the channel; nothing that has not left yet is sent any more. */
    @Override
    public void close() {
        if (channel != null) {
            channel.close();
            channel = null;
        }
    }
}
