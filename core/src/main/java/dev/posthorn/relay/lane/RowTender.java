package dev.posthorn.relay.lane;

import dev.posthorn.relay.budget.InFlightPlaces;
import dev.posthorn.relay.budget.LaneOrders;
import dev.posthorn.relay.budget.RetryPlaces;
import dev.posthorn.relay.budget.Tokens;
import dev.posthorn.relay.lane.trouble.ReceiverState;
import dev.posthorn.relay.store.LaneStore;
import dev.posthorn.relay.store.StoredLane;
import dev.posthorn.relay.store.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Sees to what waits in the store: held events whose key is free, rows whose time has come, commands. */
final class RowTender {

    /** How often a command is asked about that waits for its event to be read. */
    private static final long SECOND = 1_000_000_000;

    /** How often it looks at rows that are not due yet: the database's clock may have been set. */
    private static final long CLOCKS = 60 * SECOND;

    /** How soon to try again what could not be done, for want of room or behind something else. */
    private static final long SOON = SECOND / 100;

    private static final long AT_ONCE = SECOND / 1000;

    /** How many rows are loaded at a time. */
    private static final int ROWS = 500;

    /** Of those that have failed, how many times as many as may be sent at a time. */
    private static final int ROWS_AHEAD = 16;

    private final LaneStore store;
    private final Ticker ticker;
    private final Supplier<LaneOrders> orders;
    private final InFlightPlaces places;
    private final Tokens tokens;
    private final ReceiverState receiver;
    private final Backlog backlog;
    private final Dispatch dispatch;
    private final Troubles troubles;
    private final RowsInHand rows;
    private final CarefulMode care;
    private final Progress progress;
    private final CommandRunner commands;
    private final ReplayFeed replays;

    /**
     * When to look at the agenda next; null if there is no need before somebody asks for something. Only the owner writes
     * rows, so what a look said stays true but for what was written since.
     */
    private @Nullable Long lookAt;

    /** Whether rows were due when nothing was sent. */
    private boolean dueWait;

    private boolean commandsWait;

    /** Whether there are rows to be sent, as far as known. */
    private boolean rowsWait;

    RowTender(StoredLane stored, LanePorts ports, LaneParts parts, ReplayFeed replays) {
        this.store = ports.store();
        this.ticker = ports.ticker();
        this.orders = parts.hold().orders();
        this.places = parts.hold().places();
        this.tokens = parts.hold().tokens();
        this.receiver = parts.hold().receiver();
        this.backlog = parts.backlog();
        this.dispatch = parts.dispatch();
        this.troubles = parts.troubles();
        this.rows = parts.rows();
        this.care = parts.care();
        this.progress = parts.progress();
        this.commands = parts.commands();
        this.replays = replays;
        this.rowsWait = !stored.calm();
        this.lookAt = stored.calm() ? null : ticker.nanos();
    }

    /** What was written may have been rows. */
    void rowsWereWritten() {
        rowsWait = true;
        lookBy(ticker.nanos());
    }

    /** Whether there is neither a row nor a command, as far as known. */
    boolean hasNothing() {
        return !rowsWait && !commandsWait;
    }

    void lookAtOnce() {
        lookAt = ticker.nanos();
    }

    void tend() {
        if (!mayTend()) {
            return;
        }
        boolean sending = mayTake();
        if (sending && rows.keys().anyClear()) {
            take(rows::release, ROWS);
        }
        long time = ticker.nanos();
        noteWhatIsNew(time);
        if (sending && dueWait) {
            lookBy(time);
        }
        if (lookNanos(time) <= 0 || commandsWait) {
            look(sending, time);
        }
    }

    private boolean mayTend() {
        return !orders.get().leave() && progress.areRowsTrue();
    }

    private boolean mayTake() {
        LaneOrders now = orders.get();
        return now.isSending() && !now.park() && !receiver.breaker().isOpen();
    }

    /** A row that was put down may be due, and one that was written will be. */
    private void noteWhatIsNew(long now) {
        if (rows.wereAnyPutDown()) {
            lookBy(now);
        }
        Long soonest = troubles.takeSoonest();
        if (soonest != null) {
            lookBy(Math.min(soonest - now, CLOCKS) + now);
        }
    }

    private void lookBy(long time) {
        lookAt = lookAt == null || time - lookAt < 0 ? time : lookAt;
    }

    private long lookNanos(long now) {
        return lookAt == null ? Long.MAX_VALUE : lookAt - now;
    }

    private void look(boolean sending, long time) {
        LaneStore.Agenda agenda = store.agenda();
        Duration next = agenda.nextDue();
        rowsWait = next != null;
        boolean due = next != null && (next.isZero() || next.isNegative());
        lookAt = next == null ? null : Long.valueOf(time + (due ? CLOCKS : nanos(next)));
        dueWait = due && !sending;
        if (sending && due) {
            takeDue(time);
        }
        replays.expect(agenda.replays());
        commandsWait = agenda.commands() && !(progress.isWritten() && commands.carryOut());
        if (agenda.commands() && commands.areUnread()) {
            lookBy(time + SECOND);
        }
    }

    private static long nanos(Duration next) {
        return next.toNanosPart() + Math.min(CLOCKS / SECOND, next.toSeconds()) * SECOND;
    }

    private void takeDue(long time) {
        if (tokens.areAwaited() && rows.count() > 0) {
            // There are rows at hand that could not be sent yet.
            lookAt = time + Progress.SETTLE_NANOS;
        } else if (!receiver.denial().isOn() || care.isNeeded()) {
            int wanted = rowsWanted();
            boolean more = wanted > 0 && take(rows::due, wanted) == wanted;
            lookAt = more ? time : time + Progress.SETTLE_NANOS;
        }
    }

    /** No more than can be sent soon: what has failed may hang, and must not take the room of what comes. */
    private int rowsWanted() {
        LaneOrders now = orders.get();
        int most = Math.min(ROWS, Math.max(1, now.inFlightLimit() / 4));
        int soon = RetryPlaces.atATime(now.concurrency());
        int atHand = backlog.toSend().retries();
        return Math.max(0, (soon < ROWS ? Math.min(most, ROWS_AHEAD * soon) : most) - atHand);
    }

    private int take(IntFunction<List<LaneEvent>> load, int most) {
        int taken = places.take(most);
        int used = 0;
        try {
            List<LaneEvent> next = taken == 0 ? List.of() : load.apply(taken);
            used = next.size();
            dispatch.addRows(next);
            return used;
        } finally {
            places.giveBack(taken - used);
        }
    }

    /** Whether somebody waits for a command to be carried out. */
    boolean areCommandsWaiting() {
        return commandsWait;
    }

    /** Whether there are rows to be sent, as far as known. */
    boolean areRowsWaiting() {
        return rowsWait;
    }

    /** In how many nanoseconds there is something to do here; very long if a settle, an answer or an order comes first. */
    long nextDueNanos() {
        if (!mayTend()) {
            return Long.MAX_VALUE;
        }
        long now = ticker.nanos();
        noteWhatIsNew(now);
        long next = commandsWait ? Math.min(SOON, lookNanos(now)) : lookNanos(now);
        if (mayTake() && rows.keys().anyClear()) {
            next = Math.min(next, places.areLeft(1) ? AT_ONCE : SOON);
        }
        return next;
    }
}
