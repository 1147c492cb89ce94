package dev.posthorn.relay.lane;

import dev.posthorn.relay.budget.InFlightPlaces;
import dev.posthorn.relay.budget.LaneOrders;
import dev.posthorn.relay.budget.RetryPlaces;
import dev.posthorn.relay.budget.Tokens;
import dev.posthorn.relay.lane.trouble.ReceiverState;
import dev.posthorn.relay.store.LaneStore;
import dev.posthorn.relay.store.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** Sees to what waits in the store: held events whose key is free, rows whose time has come, commands. */
final class RowTender {

    private static final long SECOND = 1_000_000_000;

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

    /** When to look at the agenda next. */
    private long lookAt;

    private boolean commandsWait;

    /** Whether there are rows to be sent, as far as known. */
    private boolean rowsWait = true;

    RowTender(LanePorts ports, LaneParts parts, ReplayFeed replays) {
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
        this.lookAt = ticker.nanos();
    }

    void lookAtOnce() {
        lookAt = ticker.nanos();
    }

    void tend() {
        LaneOrders now = orders.get();
        if (now.leave() || !progress.areRowsTrue()) {
            return;
        }
        boolean sending = now.isSending() && !now.park() && !receiver.breaker().isOpen();
        if (sending && rows.keys().anyClear()) {
            take(rows::release, ROWS);
        }
        long time = ticker.nanos();
        lookAtWhatWasPutDown(time);
        lookAt = Math.min(lookAt, troubles.takeSoonest());
        if (lookAt - time <= 0 || commandsWait) {
            look(sending, time);
        }
    }

    /** A row that was put down may be due. */
    private void lookAtWhatWasPutDown(long now) {
        if (rows.wereAnyPutDown()) {
            lookAt = now;
        }
    }

    private void look(boolean sending, long time) {
        LaneStore.Agenda agenda = store.agenda();
        Duration next = agenda.nextDue();
        rowsWait = next != null;
        boolean due = next != null && (next.isZero() || next.isNegative());
        lookAt = time + (next == null || due ? SECOND : Math.min(SECOND, next.toNanos()));
        if (sending && due) {
            takeDue(time);
        }
        replays.expect(agenda.replays());
        commandsWait = agenda.commands() && !(progress.isWritten() && commands.carryOut());
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

    /** In how many nanoseconds to look again. */
    long nextDueNanos() {
        long now = ticker.nanos();
        lookAtWhatWasPutDown(now);
        return lookAt - now;
    }
}
