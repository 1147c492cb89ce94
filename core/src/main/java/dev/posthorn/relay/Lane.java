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
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves a share of a subscription's keys from the log to its sink. An actor: one thread of control, a mailbox for the
 * sink's answers, and a {@link #step()} that does whatever is due.
 *
 * <p>The lane reads ahead of what the sink has answered and across windows, but its mark moves over delivered events
 * from the front only, and what it has read beyond the <em>persisted</em> mark is bounded: that is the most it can
 * deliver twice.
 */
public final class Lane {

    private static final Logger log = LoggerFactory.getLogger(Lane.class);

    /** A mark is worth writing after this many events, or this long after the last. */
    private static final int SETTLE_EVENTS = 1000;

    private static final long SETTLE_NANOS = 50_000_000;

    /** An idle lane moves its mark too, or it would hold back retention, but no more often than receipts are written. */
    private static final long SECOND = 1_000_000_000;

    /** What a lane is doing. */
    public enum State {
        RUNNING,
        /** The sink rejected an event; nothing more is sent until somebody has dealt with it. */
        STOPPED,
        /** Everything sent is settled, and the lease given up or gone with its generation. */
        LEFT,
        /** Another instance owns the lane. */
        LOST
    }

    private final String name;
    private final Subscription subscription;
    private final EventLog eventLog;
    private final LaneStore store;
    private final Lease lease;
    private final Ticker ticker;
    private final Guards guards;
    private final Dispatch dispatch;
    private final Pace pace;

    private final Queue<Tracked> mailbox = new ConcurrentLinkedQueue<>();
    private final LaneCounters counters = new LaneCounters();
    private volatile Orders orders;
    private volatile State state = State.RUNNING;
    private volatile boolean woken;
    private volatile boolean retired;
    private Runnable signal = () -> {};

    private Cursor cursor;
    private Mark settled;
    private Mark persisted;
    private Mark persistedHigh;
    private boolean persistedParked;
    private long readSeq;
    private int settledSinceMark;
    private long settledSinceReceipt;
    private long bytesSinceMark;
    private long lastSettle;
    private long lastReceipt;

    Lane(
            LaneGrant grant,
            Subscription subscription,
            EventLog eventLog,
            LaneStore store,
            Orders orders,
            Ticker ticker,
            Guards guards) {
        this.name = grant.name();
        this.subscription = subscription;
        this.eventLog = eventLog;
        this.store = store;
        this.lease = grant.lease();
        this.ticker = ticker;
        this.guards = guards;
        this.orders = orders;
        this.dispatch = new Dispatch(name, subscription, lease, counters, ticker, guards);
        long now = ticker.nanos();
        this.pace = new Pace(subscription.pollLeast(), subscription.pollMost(), now);
        this.lastSettle = now;
        this.lastReceipt = now - SECOND;
        this.cursor = grant.mark().cursor();
        this.settled = grant.mark();
        this.persisted = grant.mark();
        this.persistedHigh = grant.mark();
        this.readSeq = grant.readSeq();
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
        dispatch.giveUpOverdue();
        try {
            settle();
            read();
        } catch (PosthornException e) {
            counters.databaseTrouble(name, e, log);
            pace.failed(ticker.nanos());
        }
        if (state == State.RUNNING && !isHalted()) {
            dispatch.handOver();
        } else {
            leaveIfSettled();
        }
        return isEnded() ? SECOND : pause();
    }

    /** Neither reads nor sends, for good or for a while. */
    private boolean isHalted() {
        Orders now = orders;
        return now.leave() || now.paused();
    }

    private void post(Tracked answered) {
        mailbox.add(answered);
        signal.run();
    }

    private void takeAnswers() {
        for (Tracked answered = mailbox.poll(); answered != null; answered = mailbox.poll()) {
            if (!answered.isAbandoned() && !dispatch.take(answered)) {
                stop(answered);
            }
        }
        settleFromTheFront();
    }

    private void settleFromTheFront() {
        for (Tracked done = dispatch.pollSettled(); done != null; done = dispatch.pollSettled()) {
            settled = done.markAfter();
            settledSinceMark++;
            settledSinceReceipt++;
            bytesSinceMark += done.event().bytes();
            counters.delivered(done.event());
        }
    }

    private void stop(Tracked rejected) {
        if (state == State.RUNNING) {
            state = State.STOPPED;
            log.error(
                    "Lane {} has STOPPED: its sink rejected event {} ({}). Nothing of this lane is delivered until the"
                            + " cause is removed and the relay restarted; other lanes go on",
                    name,
                    rejected.event().event(),
                    rejected.outcome());
        }
    }

    private void settle() {
        Mark mark = settled;
        Mark high = dispatch.high(mark);
        boolean parked = isParked();
        long now = ticker.nanos();
        if (!isSettleDue(mark, high, parked, now)) {
            return;
        }
        boolean receiptDue = settledSinceReceipt > 0 && now - lastReceipt >= SECOND;
        Settlement settlement = new Settlement(mark, high, readSeq, parked, receiptDue ? settledSinceReceipt : 0);
        if (!store.settle(settlement)) {
            end(State.LOST);
            return;
        }
        giveBackRoom(settledSinceMark);
        persisted = mark;
        persistedHigh = high;
        persistedParked = parked;
        settledSinceMark = 0;
        bytesSinceMark = 0;
        lastSettle = now;
        if (receiptDue) {
            settledSinceReceipt = 0;
            lastReceipt = now;
        }
    }

    private boolean isSettleDue(Mark mark, Mark high, boolean parked, long now) {
        boolean handedOver = !dispatch.isEmpty() && !high.equals(persistedHigh);
        if (settledSinceMark > 0 || handedOver) {
            return settledSinceMark >= Math.min(SETTLE_EVENTS, (orders.inFlightLimit() + 1) / 2)
                    || now - lastSettle >= SETTLE_NANOS
                    || isLast(mark);
        }
        if (parked != persistedParked || (isLast(mark) && !mark.equals(persisted))) {
            return true;
        }
        return !mark.equals(persisted) && now - lastSettle >= SECOND;
    }

    /** Whether somebody waits for this very mark. */
    private boolean isLast(Mark mark) {
        Orders now = orders;
        return (now.leave() && dispatch.inFlight() == 0) || (now.stopAt() != null && mark.isAt(now.stopAt()));
    }

    private boolean isParked() {
        Orders now = orders;
        return now.park() && now.stopAt() == null && cursor instanceof Cursor.Tail && dispatch.isEmpty();
    }

    private void read() {
        long now = ticker.nanos();
        if (woken) {
            woken = false;
            pace.moreAtOnce(now);
        }
        if (state != State.RUNNING || isHalted() || dispatch.isSuspended() || !pace.isDue(now)) {
            return;
        }
        if (!isWorthReading()) {
            return;
        }
        int places = enterNextWindow() ? takeRoom(Math.min(roomForEvents(), subscription.batchSize())) : 0;
        if (places == 0) {
            pace.foundNothing(now);
            return;
        }
        Batch batch = read(places);
        take(batch);
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

    /** Whether there is room for more than a few events: a read costs the same for one as for many. */
    private boolean isWorthReading() {
        int least = Math.min(subscription.batchSize(), Math.max(1, orders.inFlightLimit() / 4));
        return roomForEvents() >= least && roomInBytes() > 0;
    }

    private int roomForEvents() {
        return orders.inFlightLimit() - beyondMark();
    }

    private long roomInBytes() {
        return orders.inFlightBytes() - dispatch.bytes() - bytesSinceMark;
    }

    private Batch read(int places) {
        int used = 0;
        try {
            Batch batch = eventLog.read(cursor, places, roomInBytes());
            used = batch.events().size();
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
        return dispatch.size() + (guards.hold(Guard.BOUNDED_BEYOND_PERSISTED_MARK) ? settledSinceMark : 0);
    }

    /** At the tail, while another generation is wanted: no further than the snapshot at which all lanes stop. */
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

    private void take(Batch batch) {
        for (RecordedEvent event : batch.events()) {
            dispatch.add(new Tracked(event, batch.markAfter(event), this::post));
            readSeq = Math.max(readSeq, event.seq());
        }
        if (!dispatch.extendLast(batch.markAtEnd())) {
            settled = batch.markAtEnd();
        }
        cursor = batch.next();
    }

    private void leaveIfSettled() {
        if (orders.leave() && dispatch.inFlight() == 0 && settledSinceMark == 0 && mailbox.isEmpty()) {
            end(State.LEFT);
        }
    }

    private void end(State how) {
        if (!isEnded()) {
            state = how;
            dispatch.close();
            giveBackRoom(beyondMark());
            if (how == State.LOST) {
                log.warn(
                        "Lane {}: another instance owns it now; {} events without an answer are sent again there",
                        name,
                        dispatch.inFlight());
            }
        }
    }

    private long pause() {
        if (!mailbox.isEmpty()) {
            return 0;
        }
        long now = ticker.nanos();
        long next = Math.min(pace.due() - now, dispatch.nextDueNanos());
        if (settledSinceMark > 0) {
            next = Math.min(next, lastSettle + SETTLE_NANOS - now);
        }
        if (state != State.RUNNING || isHalted() || dispatch.isSuspended() || !isWorthReading()) {
            // Nothing to read for now: only an answer, a settle or the end of the suspension matters.
            next = Math.max(next, Math.min(dispatch.nextDueNanos(), SETTLE_NANOS));
        }
        return Math.max(0, Math.min(next, SECOND));
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
