package dev.posthorn.relay;

import dev.posthorn.error.PosthornException;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Batch;
import dev.posthorn.log.Cursor;
import dev.posthorn.log.EventLog;
import dev.posthorn.log.Guard;
import dev.posthorn.log.Guards;
import dev.posthorn.log.Mark;
import dev.posthorn.log.Snapshot;
import dev.posthorn.log.Window;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
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
    private final EventLog eventLog;
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
    private final Pace pace;

    private final Queue<Sending> mailbox = new ConcurrentLinkedQueue<>();
    private final LaneCounters counters = new LaneCounters();
    private volatile Orders orders;
    private volatile State state = State.RUNNING;
    private volatile boolean woken;
    private volatile boolean retired;
    private Runnable signal = () -> {};

    private Cursor cursor;
    private long agendaDue;
    private boolean commandsWait;

    Lane(LaneGrant grant, Subscription subscription, LanePorts ports, Orders orders) {
        this.name = grant.name();
        this.subscription = subscription;
        this.eventLog = ports.log();
        this.store = ports.store();
        this.listener = ports.listener();
        this.lease = grant.lease();
        this.ticker = ports.ticker();
        this.guards = ports.guards();
        this.orders = orders;
        this.troubles = new Troubles(grant, subscription, store, listener, ticker, ports.random(), guards);
        this.dispatch = new Dispatch(name, subscription, ticker, guards, this::post, this::forget, this::overtaken);
        this.breaker = new Breaker(subscription.breakerAfter());
        this.care = new Care(grant, subscription, ticker, ports.instance(), guards);
        this.progress = new Progress(grant, ticker);
        this.desk = new Desk(store, troubles, dispatch);
        long now = ticker.nanos();
        this.pace = new Pace(subscription.pollLeast(), subscription.pollMost(), now);
        this.agendaDue = now;
        this.cursor = grant.mark().cursor();
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
        try {
            troubles.restore();
            settle();
            tend();
            read();
            letGo();
            if (isSending()) {
                handOver();
            }
        } catch (PosthornException e) {
            counters.databaseTrouble(name, e, log);
            pace.failed(ticker.nanos());
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
            if (dispatch.take(answered)) {
                take(answered.item(), answered.outcome());
            }
        }
        settleFromTheFront();
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
            }
            succeeded();
        }
        if (care.isNeeded()) {
            care.passed(isNothingLeft());
        }
    }

    private boolean isNothingLeft() {
        return cursor instanceof Cursor.Tail && dispatch.isEmpty() && !dispatch.hasUnsent() && troubles.loaded() == 0;
    }

    private void succeeded() {
        if (breaker.succeeded()) {
            listener.breakerClosed(subscription.name(), name);
        }
    }

    private void failed(Tracked item, Outcome.Failure failure) {
        long now = ticker.nanos();
        boolean late = breaker.isOpen() && !item.isProbe();
        Troubles.Verdict verdict = troubles.failed(item, failure, late);
        boolean opened = false;
        if (verdict == Troubles.Verdict.TOO_MANY_BLOCKED) {
            opened = breaker.open(
                    troubles.blockedKeys() + " keys are blocked by failed events: " + failure.reason(),
                    null,
                    item.isProbe(),
                    now);
        } else if (failure instanceof Outcome.Unavailable) {
            opened = breaker.open(failure.reason(), null, item.isProbe(), now);
        } else if (failure instanceof Outcome.Retry) {
            opened = breaker.failed(failure.reason(), subscription.retry().wish(failure), item.isProbe(), now);
        } else {
            succeeded();
        }
        if (opened) {
            listener.breakerOpened(subscription.name(), name, failure.reason());
        }
        if (verdict == Troubles.Verdict.SET_ASIDE) {
            dispatch.setAside(item);
        } else {
            dispatch.again(item);
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
            giveBackRoom(1);
            agendaDue = ticker.nanos();
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
        giveBackRoom(progress.written(settlement));
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
        return now.park() && now.stopAt() == null && cursor instanceof Cursor.Tail && isIdle();
    }

    private boolean isIdle() {
        return dispatch.isEmpty() && troubles.loaded() == 0 && !troubles.hasChanges();
    }

    // ---- rows and commands

    /** Sees to what waits: held events whose key is free, rows whose time has come, commands. */
    private void tend() {
        if (isEnded() || orders.leave() || !areRowsTrue()) {
            return;
        }
        boolean mayLoad = isSending() && !orders.park();
        boolean sending = mayLoad && !breaker.isOpen();
        if (troubles.isReleaseDue() && (sending || (mayLoad && !dispatch.hasUnsent()))) {
            // While the breaker is open, one is enough to probe with.
            take(room -> troubles.release(sending ? room : 1));
        }
        long now = ticker.nanos();
        agendaDue = Math.min(agendaDue, troubles.takeSoonest());
        if (agendaDue - now > 0 && !commandsWait) {
            return;
        }
        LaneStore.Agenda agenda = store.agenda();
        Duration next = agenda.nextDue();
        boolean due = next != null && (next.isZero() || next.isNegative());
        agendaDue = now + (next == null || due ? SECOND : Math.min(SECOND, next.toNanos()));
        if (sending && due) {
            agendaDue = take(troubles::due) == ROWS ? now : now + Progress.SETTLE_NANOS;
        }
        commandsWait = agenda.commands() && !(progress.isWritten() && desk.carryOut());
    }

    /** Whether the store knows of everything that this owner did about rows and letters. */
    private boolean areRowsTrue() {
        return !progress.isPending() && !troubles.hasChanges();
    }

    private interface Loading {
        List<Tracked> load(int room);
    }

    private int take(Loading loading) {
        int places = takeRoom(ROWS);
        int used = 0;
        try {
            List<Tracked> rows = places == 0 ? List.of() : loading.load(places);
            used = rows.size();
            dispatch.addRows(rows);
            return used;
        } finally {
            giveBackRoom(places - used);
        }
    }

    // ---- reading

    private void read() {
        long now = ticker.nanos();
        if (woken) {
            woken = false;
            pace.moreAtOnce(now);
        }
        if (!isReading() || !pace.isDue(now) || !isWorthReading()) {
            return;
        }
        int places = enterNextWindow() ? takeRoom(Math.min(roomForEvents(), subscription.batchSize())) : 0;
        if (places == 0) {
            pace.foundNothing(now);
            return;
        }
        Batch batch = read(places);
        counters.databaseIsBack(name, log);
        long after = ticker.nanos();
        if (!batch.endsWindow()) {
            pace.moreAtOnce(after);
        } else if (batch.events().isEmpty()) {
            pace.foundNothing(after);
        } else {
            pace.foundAll(after);
        }
    }

    private boolean isReading() {
        return isLettingGo() || (isSending() && !breaker.isOpen());
    }

    /** Whether events are to be given up that are not read yet. */
    private boolean isLettingGo() {
        return !orders.leave() && progress.readSeq() < orders.letGoSeq();
    }

    private boolean isSending() {
        return state == State.RUNNING && !orders.leave() && !orders.paused();
    }

    /** Whether there is room for more than a few events: a read costs the same for one as for many. */
    private boolean isWorthReading() {
        int least = Math.min(subscription.batchSize(), Math.max(1, orders.inFlightLimit() / 4));
        return roomForEvents() >= least && roomInBytes() > 0;
    }

    private int roomForEvents() {
        return orders.inFlightLimit() - beyondMark();
    }

    private long roomInBytes() {
        return orders.inFlightBytes() - dispatch.bytes() - progress.unwrittenBytes();
    }

    private Batch read(int places) {
        int used = 0;
        try {
            Batch batch = eventLog.read(cursor, places, roomInBytes());
            used = take(batch);
            return batch;
        } finally {
            giveBackRoom(places - used);
        }
    }

    private int takeRoom(int wanted) {
        return guards.hold(Guard.BOUNDED_BEYOND_PERSISTED_MARK) ? orders.room().take(wanted) : wanted;
    }

    private void giveBackRoom(int places) {
        if (guards.hold(Guard.BOUNDED_BEYOND_PERSISTED_MARK)) {
            orders.room().giveBack(places);
        }
    }

    private int beyondMark() {
        return dispatch.size()
                + troubles.loaded()
                + (guards.hold(Guard.BOUNDED_BEYOND_PERSISTED_MARK)
                        ? progress.unwritten() + troubles.unwrittenRows()
                        : 0);
    }

    /** At the tail, while the generation is to change: no further than the snapshot at which all lanes stop. */
    private boolean enterNextWindow() {
        Orders now = orders;
        if (!now.park() || !(cursor instanceof Cursor.Tail tail)) {
            return true;
        }
        Snapshot stopAt = now.stopAt();
        if (stopAt == null || tail.a().equals(stopAt)) {
            return false;
        }
        cursor = Cursor.Inside.of(new Window(tail.a(), stopAt), 0);
        return true;
    }

    /** Returns how many of the events are new: the others have a row or a dead letter by a former owner. */
    private int take(Batch batch) {
        Set<Long> known = guards.hold(Guard.SKIP_KNOWN) ? troubles.known(batch.events()) : Set.of();
        Mark between = null;
        int used = 0;
        for (RecordedEvent event : batch.events()) {
            progress.read(event.seq());
            between = batch.markAfter(event);
            if (!known.contains(event.seq())) {
                dispatch.add(Tracked.live(event, between, batch.isDeferred(event)));
                used++;
            } else if (!dispatch.extendLast(between)) {
                progress.settledUpTo(between);
            }
        }
        if (!dispatch.extendLast(batch.markAtEnd())) {
            progress.settledUpTo(batch.markAtEnd());
        }
        cursor = batch.next();
        return used;
    }

    // ---- sending

    private void handOver() {
        if (!isTrusted()) {
            return;
        }
        if (care.isCounting() && areRowsTrue()) {
            care.takeCounted().forEach(dispatch::addFirst);
        }
        if (breaker.isOpen()) {
            probe();
        } else if (care.isNeeded()) {
            sendCarefully();
        } else if (dispatch.hasUnsent()) {
            dispatch.handOver(this::admits);
        }
        settleFromTheFront();
    }

    /** Also while nothing is sent: that is when it is asked for. */
    private void letGo() {
        boolean stands = breaker.isOpen() || orders.paused();
        if (stands && orders.letGoSeq() > 0 && !orders.leave() && dispatch.hasUnsent()) {
            dispatch.review(item -> !letsGo(item));
            settleFromTheFront();
        }
    }

    /** A send that outlives the lease could meet another owner's. */
    private boolean isTrusted() {
        return lease.trustNanos()
                > (guards.hold(Guard.TRUST_OUTLASTS_SEND)
                        ? subscription.timeout().toNanos()
                        : Long.MIN_VALUE);
    }

    /** Whether the event may be sent now; if not, it got the row or dead letter that it needs. */
    private boolean admits(Tracked item) {
        if (item.isDeferred()) {
            troubles.defer(item, Objects.requireNonNull(item.event().event().deliverAt()));
            return false;
        }
        if (letsGo(item)) {
            return false;
        }
        if (troubles.isExhausted(item)) {
            troubles.giveUp(item, care.assumed());
            return false;
        }
        if (item.isSuspect()) {
            count(item);
            return false;
        }
        boolean joinsItsKey = item.isLive() || item.state() == DeliveryState.DEFERRED;
        if (joinsItsKey && troubles.isBlocked(item)) {
            troubles.hold(item);
            return false;
        }
        return true;
    }

    private boolean letsGo(Tracked item) {
        if (!item.isLive() || item.seq() >= orders.letGoSeq()) {
            return false;
        }
        Outcome.Failure why =
                new Outcome.Reject(ErrorClass.REJECTED, "let go undelivered on request, so that the log could be cut");
        troubles.letGo(item, why);
        return true;
    }

    /** While the breaker is open: one event, and rather one that has failed before than one more. */
    private void probe() {
        if (!breaker.mayProbe(ticker.nanos())) {
            return;
        }
        Tracked item = areRowsTrue() && !orders.park() ? loadProbe() : null;
        if (item == null) {
            item = dispatch.pollNext(this::admits);
        }
        if (item != null) {
            breaker.probing();
            dispatch.sendAlone(item, true);
        }
    }

    private @Nullable Tracked loadProbe() {
        if (takeRoom(1) == 0) {
            return null;
        }
        Tracked row = troubles.probe();
        if (row == null) {
            giveBackRoom(1);
            return null;
        }
        return admits(row) && dispatch.takesTurn(row) ? row : null;
    }

    /** One event at a time, each attempt written down before it is made. */
    private void sendCarefully() {
        if (dispatch.inFlight() > 0 || care.isCounting()) {
            return;
        }
        Tracked next = dispatch.pollNext(this::admits);
        if (next == null) {
            if (isNothingLeft()) {
                care.passed(true);
            }
        } else if (next.isCounted() || orders.park()) {
            // While the generation changes, the mark must not pass an event that is on its way.
            dispatch.sendAlone(next, false);
        } else {
            dispatch.giveBackTurn(next);
            count(next);
        }
    }

    /** After the commit it comes first. */
    private void count(Tracked item) {
        if (item.isLive() && guards.hold(Guard.BOUNDED_BEYOND_PERSISTED_MARK)) {
            orders.room().overdraw();
        }
        care.count(troubles.countBeforeSending(item, care.attempt(item), care.assumed()));
    }

    // ---- the end

    private void leaveIfSettled() {
        if (!isEnded()
                && orders.leave()
                && dispatch.inFlight() == 0
                && progress.isWritten()
                && !troubles.hasChanges()
                && mailbox.isEmpty()) {
            end(State.LEFT);
        }
    }

    private void end(State how) {
        if (!isEnded()) {
            state = how;
            dispatch.close();
            giveBackRoom(beyondMark());
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
        next = Math.min(next, breaker.nextProbeNanos(now));
        if (troubles.isReleaseDue() || care.isCounting() || commandsWait) {
            next = Math.min(next, Duration.ofMillis(1).toNanos());
        }
        if (!breaker.isOpen() && isSending()) {
            next = Math.min(next, dispatch.nextDueNanos());
        }
        if (isReading() && isWorthReading()) {
            next = Math.min(next, pace.due() - now);
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
