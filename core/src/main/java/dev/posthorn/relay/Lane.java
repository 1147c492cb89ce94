package dev.posthorn.relay;

import dev.posthorn.error.PosthornException;
import dev.posthorn.log.Guard;
import dev.posthorn.log.Guards;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves a share of a subscription's keys from the log to its sink. An actor: one thread of control, a mailbox for the
 * sink's answers, and a {@link #step()} that does whatever is due.
 *
 * <p>The lane reads ahead of what the sink has answered and across windows, but its mark moves from the front only, over
 * events that were delivered or have a row, and what it has read beyond the <em>persisted</em> mark is bounded: that is
 * the most it can deliver twice.
 */
public final class Lane {

    private static final Logger log = LoggerFactory.getLogger(Lane.class);

    private static final long SECOND = 1_000_000_000;

    /** How many rows are loaded at a time. */
    private static final int ROWS = 500;

    /** What a lane is doing. */
    public enum State {
        RUNNING,
        /** Everything sent is settled, and the lease given up or gone with its generation. */
        LEFT,
        /** Another instance owns the lane. */
        LOST
    }

    private final String name;
    private final Subscription subscription;
    private final LaneStore store;
    private final RelayListener listener;
    private final Lease lease;
    private final Ticker ticker;
    private final Guards guards;
    private final Dispatch dispatch;
    private final Troubles troubles;
    private final Breaker breaker;
    private final Care care;
    private final Progress progress;
    private final Desk desk;
    private final Places places;
    private final Tokens tokens;
    private final LaneReader reader;
    private final Sender sender;
    private final ReplayFeed replays;

    private final Queue<Sending> mailbox = new ConcurrentLinkedQueue<>();

    /**
     * Failures of events in front of which others have no answer yet. Taken at once, they would close the channel on
     * those, and one of their key would be held behind an event that it came before.
     */
    private final Queue<Sending> early = new ArrayDeque<>();

    private final LaneCounters counters = new LaneCounters();
    private volatile Orders orders;
    private volatile State state = State.RUNNING;
    private volatile boolean woken;
    private volatile boolean retired;
    private Runnable signal = () -> {};

    private long agendaDue;
    private boolean commandsWait;

    /** Whether an event arrived by its row while others that were read are not settled. */
    private boolean rowsDelivered;

    /** Why the receiver wants no more events, if that is to be written yet. */
    private @Nullable String gone;

    /** Whether there are rows to be sent, as far as known. */
    private boolean rowsWait = true;

    Lane(LaneGrant grant, Subscription subscription, LanePorts ports, Orders orders) {
        this.name = grant.name();
        this.subscription = subscription;
        this.store = ports.store();
        this.listener = ports.listener();
        this.lease = grant.lease();
        this.ticker = ports.ticker();
        this.guards = ports.guards();
        this.orders = orders;
        this.troubles = new Troubles(grant, subscription, store, listener, ticker, ports.random(), guards);
        this.tokens = new Tokens(orders.allowance(), store);
        this.dispatch =
                new Dispatch(name, subscription, ticker, guards, tokens, this::post, this::forget, this::overtaken);
        this.breaker = new Breaker(subscription.breakerAfter());
        this.care = new Care(grant, subscription, ticker, ports.instance(), guards);
        this.progress = new Progress(grant, ticker, guards);
        this.desk = new Desk(store, troubles, dispatch);
        this.places = new Places(this::orders, guards);
        LaneParts parts =
                new LaneParts(this::orders, places, tokens, dispatch, troubles, breaker, care, progress, desk);
        this.reader = new LaneReader(grant, subscription, ports, parts);
        this.replays = new ReplayFeed(grant, ports, parts);
        this.sender = new Sender(grant, subscription, ports, parts, this::forget, replays::finished);
        this.agendaDue = ticker.nanos();
    }

    /**
     * One pass. Returns after how many nanoseconds the next one is of use, unless the lane is signalled before: 0 means
     * at once.
     */
    public long step() {
        if (lease.isLost()) {
            end(State.LOST);
        } else if (retired) {
            end(State.LEFT);
        }
        if (isEnded()) {
            return SECOND;
        }
        takeAnswers();
        giveUpOverdue();
        if (orders.leave() && dispatch.inFlight() == 0) {
            inTheWay().forEach(troubles::leaveBehind);
            settleFromTheFront();
        }
        try {
            troubles.restore();
            pauseIfGone();
            settle();
            if (!isEnded()) {
                tend();
                read();
                feedReplays();
                sender.handOver(this::isNothingLeft);
                settleFromTheFront();
            }
        } catch (PosthornException e) {
            counters.databaseTrouble(name, e, log);
            reader.failed();
        }
        leaveIfSettled();
        return isEnded() ? SECOND : pause();
    }

    private void post(Sending answered) {
        mailbox.add(answered);
        signal.run();
    }

    // ---- answers

    private void takeAnswers() {
        for (Sending answered = mailbox.poll(); answered != null; answered = mailbox.poll()) {
            if (answered.outcome() instanceof Outcome.Failure && dispatch.isBehindUnanswered(answered)) {
                early.add(answered);
            } else {
                takeAnswer(answered);
            }
        }
        while (!early.isEmpty() && !dispatch.isBehindUnanswered(early.element())) {
            takeAnswer(early.remove());
        }
        settleFromTheFront();
    }

    private void takeAnswer(Sending answered) {
        if (dispatch.take(answered)) {
            take(answered.item(), answered.outcome());
        }
    }

    private void take(Tracked item, Outcome outcome) {
        if (outcome instanceof Outcome.Failure failure) {
            if (!dispatch.isBroken()) {
                failed(item, failure);
            }
        } else {
            troubles.delivered(item);
            dispatch.delivered(item);
            counters.delivered(item.event());
            if (!item.isLive()) {
                progress.deliveredByRow();
                rowsDelivered = true;
                replays.finished(item);
            }
            succeeded();
        }
        if (care.isNeeded()) {
            care.passed(isNothingLeft());
        }
    }

    private boolean isNothingLeft() {
        return reader.hasSeenAll() && isIdle() && !dispatch.hasUnsent() && !rowsWait;
    }

    private void succeeded() {
        if (breaker.succeeded()) {
            listener.breakerClosed(subscription.name(), name);
        }
    }

    private void failed(Tracked item, Outcome.Failure failure) {
        long now = ticker.nanos();
        boolean late = breaker.isOpen() && !item.isProbe();
        Troubles.Verdict verdict = troubles.failed(item, failure, late, item.isProbe() || orders.park());
        boolean opened = false;
        if (verdict == Troubles.Verdict.TOO_MANY_BLOCKED) {
            opened = breaker.open(
                    troubles.blockedKeys() + " keys are blocked by failed events: " + failure.reason(),
                    null,
                    item.isProbe(),
                    now);
        } else if (failure instanceof Outcome.Unavailable || failure instanceof Outcome.Gone) {
            opened = breaker.open(failure.reason(), null, item.isProbe(), now);
        } else if (failure instanceof Outcome.Retry) {
            opened = breaker.failed(failure.reason(), subscription.retry().wish(failure), item.isProbe(), now);
        } else {
            succeeded();
        }
        if (failure instanceof Outcome.Gone) {
            gone = failure.reason();
        }
        if (opened) {
            listener.breakerOpened(subscription.name(), name, failure.reason());
        }
        if (verdict == Troubles.Verdict.SET_ASIDE) {
            dispatch.setAside(item);
            replays.finished(item);
        } else {
            dispatch.again(item);
        }
    }

    private void pauseIfGone() {
        if (gone != null) {
            boolean paused = store.pause(gone);
            if (paused) {
                listener.paused(subscription.name(), gone);
            }
            gone = null;
        }
    }

    /** Ends what owes an answer for too long: one event, or, if the sink keeps the order, the whole channel. */
    private void giveUpOverdue() {
        if (dispatch.inFlight() > 0 && lease.trustNanos() <= 0 && guards.hold(Guard.TRUST_OUTLASTS_SEND)) {
            rewind();
            return;
        }
        String silence = "no answer within " + subscription.timeout().toMillis() + " ms";
        for (Tracked overdue = dispatch.isBroken() ? null : dispatch.pollOverdue();
                overdue != null;
                overdue = dispatch.isBroken() ? null : dispatch.pollOverdue()) {
            failed(
                    overdue,
                    subscription.sink().keepsOrder()
                            ? new Outcome.Unavailable(ErrorClass.TIMEOUT, silence)
                            : new Outcome.Retry(ErrorClass.TIMEOUT, silence));
        }
        if (dispatch.isBroken()) {
            rewind();
        }
        settleFromTheFront();
    }

    private void rewind() {
        dispatch.rewind();
        breaker.probeIsLost();
    }

    private void forget(Tracked row) {
        if (troubles.forget(row)) {
            places.giveBack(1);
            agendaDue = ticker.nanos();
            replays.forgotten(row);
        }
    }

    private void overtaken(Tracked event) {
        counters.countOvertaken();
        listener.overtaken(subscription.name(), event.event());
    }

    private void settleFromTheFront() {
        for (Tracked done = dispatch.pollSettled(); done != null; done = dispatch.pollSettled()) {
            progress.settled(done);
        }
    }

    // ---- settling

    private void settle() {
        Settlement settlement = progress.due(
                dispatch.high(progress.mark()),
                !dispatch.isEmpty(),
                isParked(),
                isAwaited(),
                care.isUndisturbed(),
                (orders.inFlightLimit() + 1) / 2,
                new Settlement.Gauge(breaker.reason(), troubles.blockedKeys()),
                troubles);
        if (settlement == null) {
            return;
        }
        if (!store.settle(settlement)) {
            end(State.LOST);
            return;
        }
        places.giveBack(progress.written(settlement));
        rowsDelivered &= !dispatch.isEmpty();
        settlement.changes().committed();
        int delivered = progress.takeDelivered();
        if (delivered > 0) {
            listener.delivered(subscription.name(), name, delivered);
        }
    }

    /** Whether somebody waits for what is to be settled now. */
    private boolean isAwaited() {
        Orders now = orders;
        return (now.leave() && dispatch.inFlight() == 0)
                || (now.stopAt() != null && progress.mark().isAt(now.stopAt()))
                || (troubles.isReleaseDue() && troubles.hasChanges())
                || care.isCounting()
                || commandsWait;
    }

    private boolean isParked() {
        Orders now = orders;
        return now.park() && now.stopAt() == null && reader.isAtTail() && isIdle();
    }

    private boolean isIdle() {
        return dispatch.isEmpty() && troubles.loaded() == 0 && !troubles.hasChanges();
    }

    // ---- rows and commands

    /** Sees to what waits: held events whose key is free, rows whose time has come, commands. */
    private void tend() {
        if (orders.leave() || !progress.areRowsTrue(troubles)) {
            return;
        }
        boolean sending = orders.isSending() && !orders.park() && !breaker.isOpen();
        if (sending && troubles.isReleaseDue()) {
            take(troubles::release);
        }
        long now = ticker.nanos();
        agendaDue = Math.min(agendaDue, troubles.takeSoonest());
        if (agendaDue - now > 0 && !commandsWait) {
            return;
        }
        LaneStore.Agenda agenda = store.agenda();
        Duration next = agenda.nextDue();
        rowsWait = next != null;
        boolean due = next != null && (next.isZero() || next.isNegative());
        agendaDue = now + (next == null || due ? SECOND : Math.min(SECOND, next.toNanos()));
        if (sending && due && tokens.areAwaited() && troubles.loaded() > 0) {
            // There are rows at hand that could not be sent yet.
            agendaDue = now + Progress.SETTLE_NANOS;
        } else if (sending && due) {
            agendaDue = take(troubles::due) == ROWS ? now : now + Progress.SETTLE_NANOS;
        }
        replays.expect(agenda.replays());
        commandsWait = agenda.commands() && !(progress.isWritten() && desk.carryOut());
    }

    private interface Loading {
        List<Tracked> load(int room);
    }

    private int take(Loading loading) {
        int taken = places.take(ROWS);
        int used = 0;
        try {
            List<Tracked> rows = taken == 0 ? List.of() : loading.load(taken);
            used = rows.size();
            dispatch.addRows(rows);
            return used;
        } finally {
            places.giveBack(taken - used);
        }
    }

    /**
     * While the breaker is open, one if there is nothing else to probe with. What was given before may be the next probe,
     * so it matters even then whether its replay still runs.
     */
    private void feedReplays() {
        if (!mayFeedReplays()) {
            dispatch.replays().takeBackAll();
        } else if (!breaker.isOpen()) {
            replays.feed(Integer.MAX_VALUE);
        } else {
            replays.feed(breaker.lacksProbe() && !dispatch.hasUnsent() ? 1 : 0);
        }
    }

    private boolean mayFeedReplays() {
        Orders now = orders;
        return now.isSending() && !now.park();
    }

    private void read() {
        if (woken) {
            woken = false;
            reader.wake();
        }
        if (reader.read()) {
            counters.databaseIsBack(name, log);
        }
    }

    // ---- the end

    /**
     * What was not sent, yet stands between the mark and something that was delivered. An event that was delivered by its
     * row may lie anywhere in what was read: with the row gone, only the mark keeps an heir from sending it again.
     */
    private List<Tracked> inTheWay() {
        return rowsDelivered ? dispatch.unsent() : dispatch.unsentBeforeDelivered();
    }

    private void leaveIfSettled() {
        if (!isEnded()
                && orders.leave()
                && dispatch.inFlight() == 0
                && progress.isWritten()
                && !troubles.hasChanges()
                && mailbox.isEmpty()
                // The order may have come in the middle of this pass.
                && inTheWay().isEmpty()) {
            end(State.LEFT);
        }
    }

    private void end(State how) {
        if (!isEnded()) {
            state = how;
            dispatch.close();
            places.giveBack(reader.beyondMark());
            tokens.putDown();
            if (how == State.LOST) {
                listener.leaseLost(subscription.name(), name, dispatch.inFlight());
            }
        }
    }

    private long pause() {
        if (!mailbox.isEmpty()) {
            return 0;
        }
        long now = ticker.nanos();
        long next = Math.min(progress.nextDueNanos(troubles), agendaDue - now);
        next = Math.min(next, Math.max(breaker.nextProbeNanos(now), tokens.nextNanos()));
        if (troubles.isReleaseDue() || care.isCounting() || commandsWait) {
            next = Math.min(next, Duration.ofMillis(1).toNanos());
        }
        if (!breaker.isOpen() && orders.isSending()) {
            next = Math.min(next, dispatch.nextDueNanos());
        }
        next = Math.min(next, reader.nextDueNanos());
        if (mayFeedReplays()) {
            next = Math.min(next, replays.nextDueNanos());
        }
        return Math.max(0, Math.min(next, Progress.SETTLE_NANOS));
    }

    /** Looks at the log without waiting for the next poll: something was committed. From any thread. */
    void wake() {
        woken = true;
        signal.run();
    }

    /** What to call when the lane should be stepped without delay. To be set before the first step. */
    void onSignal(Runnable signal) {
        this.signal = signal;
    }

    /** From any thread. */
    void order(Orders orders) {
        this.orders = orders;
        signal.run();
    }

    /** Its generation has ended; it must not read on. From any thread. */
    void retire() {
        retired = true;
        signal.run();
    }

    Orders orders() {
        return orders;
    }

    Lease lease() {
        return lease;
    }

    boolean isEnded() {
        return state == State.LEFT || state == State.LOST;
    }

    public String name() {
        return name;
    }

    public State state() {
        return state;
    }

    public LaneCounters counters() {
        return counters;
    }
}
