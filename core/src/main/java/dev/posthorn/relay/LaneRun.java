package dev.posthorn.relay;

import dev.posthorn.error.Outage;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Guard;
import dev.posthorn.log.Guards;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A lane's way from where it stands in the store, for as long as one connection lasts. Everything here was read on that
 * connection or follows from it, and ends with it: see {@link Lane}.
 */
final class LaneRun {

    private static final long SECOND = 1_000_000_000;

    /** How many rows are loaded at a time. */
    private static final int ROWS = 500;

    /** Of those that have failed, how many times as many as may be sent at a time. */
    private static final int ROWS_AHEAD = 16;

    private final String name;
    private final Subscription subscription;
    private final LaneStore store;
    private final RelayListener listener;
    private final Lease lease;
    private final Ticker ticker;
    private final Guards guards;
    private final Supplier<Orders> orders;
    private final LaneCounters counters;
    private final Answers answers;
    private final InFlight sent;
    private final Places places;
    private final Tokens tokens;
    private final ReceiverState receiver;
    private final Setback setback;
    private final Dispatch dispatch;
    private final Troubles troubles;
    private final Care care;
    private final Progress progress;
    private final Desk desk;
    private final LaneReader reader;
    private final Sender sender;
    private final ReplayFeed replays;

    private long agendaDue;
    private boolean commandsWait;

    /** Whether an event arrived by its row while others that were read are not settled. */
    private boolean rowsDelivered;

    /** Why the receiver wants no more events, if that is to be written yet. */
    private @Nullable String gone;

    /** Whether there are rows to be sent, as far as known. */
    private boolean rowsWait = true;

    LaneRun(
            LaneGrant grant,
            Subscription subscription,
            LanePorts ports,
            LaneHold hold,
            StoredLane stored,
            SentBefore before) {
        this.name = grant.name();
        this.subscription = subscription;
        this.store = ports.store();
        this.listener = ports.listener();
        this.lease = grant.lease();
        this.ticker = ports.ticker();
        this.guards = ports.guards();
        this.orders = hold.orders();
        this.counters = hold.counters();
        this.answers = hold.answers();
        this.sent = hold.sent();
        this.places = hold.places();
        this.tokens = hold.tokens();
        this.receiver = hold.receiver();
        this.setback = hold.setback();
        this.troubles = new Troubles(stored, subscription, ports);
        this.dispatch = new Dispatch(subscription, guards, tokens, sent, before, this::forget, this::overtaken);
        this.care = new Care(stored, subscription, ticker, ports.instance(), guards);
        this.progress = new Progress(stored, ports);
        this.desk = new Desk(store, troubles, dispatch);
        LaneParts parts = new LaneParts(hold, dispatch, troubles, care, progress, desk);
        this.reader = new LaneReader(stored, subscription, ports, parts);
        this.replays = new ReplayFeed(grant, ports, parts);
        this.sender = new Sender(grant, subscription, ports, parts, this::forget, replays::finished);
        this.agendaDue = ticker.nanos();
    }

    // ---- beginning and ending

    /** What the store told of keys that are blocked. May ask it about those of the rows of what was sent before. */
    void know(LaneStore.Blocked blocked, List<DeliveryRow> rows) {
        troubles.restore(blocked);
        troubles.know(rows.stream().map(row -> row.event().event().key()));
    }

    /** Takes the rows of what was sent before. Asks nobody any more. */
    void restore(List<DeliveryRow> rows) {
        for (DeliveryRow row : rows) {
            places.overdraw(1);
            dispatch.addRows(List.of(troubles.load(row)));
        }
        takeArrivedBefore();
    }

    /** The connection was lost: whether the settle that was under way was done is known by the turn that is stored. */
    void resolve(long storedTurn) {
        Settlement inDoubt = progress.pending();
        if (inDoubt != null && inDoubt.turn() == storedTurn) {
            written(inDoubt, Settled.DONE);
        }
    }

    /** What is settled, as the store has it, and in no receipt: the next run's to write. */
    long owedReceipt(long storedTurn) {
        return progress.owedReceipt(storedTurn);
    }

    void oweReceipt(long events) {
        progress.oweReceipt(events);
    }

    /** What was sent and is not known to be settled. */
    void keepSent(SentBefore kept) {
        dispatch.keepSent(kept);
        troubles.keepArrived(kept);
        Settlement inDoubt = progress.pending();
        if (inDoubt != null) {
            inDoubt.changes().arrived.forEach(kept::keepRow);
        }
        care.counted().stream()
                .filter(item -> !troubles.isToBeWritten(item)
                        && (inDoubt == null || !inDoubt.changes().rows.containsKey(item.seq())))
                .forEach(kept::keepRow);
    }

    /** Gives back the room that it has taken. */
    void end() {
        places.giveBack(reader.beyondMark());
    }

    /** Settles, reads and sends whatever is due. False if its knowledge of the store is no longer true. */
    boolean work() {
        pauseIfGone();
        if (!settle()) {
            return false;
        }
        tend();
        if (reader.read()) {
            counters.databaseIsBack(name);
        }
        feedReplays();
        takeArrivedBefore();
        sender.handOver(this::isNothingLeft);
        makeRoom();
        settleFromTheFront();
        receiver.tell();
        if (receiver.isTrying()) {
            care.provesNothing();
        }
        return true;
    }

    // ---- answers

    /** Hears what the sink has answered, and gives up what it owes an answer for too long. */
    void listen() {
        takeArrivedBefore();
        takeAnswers();
        giveUpOverdue();
        if (orders.get().leave() && sent.count() == 0) {
            inTheWay().forEach(troubles::leaveBehind);
            settleFromTheFront();
        }
    }

    private void takeAnswers() {
        for (Sending answered = answers.next(sent); answered != null; answered = answers.next(sent)) {
            if (sent.take(answered)) {
                take(answered.item(), answered.outcome());
            }
        }
        settleFromTheFront();
    }

    private void take(Tracked item, Outcome outcome) {
        if (outcome instanceof Outcome.Failure failure) {
            if (!sent.isBroken()) {
                failed(item, failure);
            }
        } else {
            counters.delivered(item.event());
            dispatch.delivered(item);
            arrived(item);
            succeeded();
        }
        if (care.isNeeded()) {
            care.passed(isNothingLeft());
        }
    }

    private void arrived(Tracked item) {
        if (item.isStranded()) {
            return;
        }
        troubles.delivered(item);
        if (!item.isLive()) {
            progress.deliveredByRow();
            rowsDelivered = true;
            replays.finished(item);
        }
    }

    /** What has come again and had arrived before the connection was lost. */
    private void takeArrivedBefore() {
        for (Tracked item = dispatch.pollArrivedBefore(); item != null; item = dispatch.pollArrivedBefore()) {
            arrived(item);
        }
        settleFromTheFront();
    }

    private boolean isNothingLeft() {
        return reader.hasSeenAll() && isIdle() && !dispatch.hasUnsent() && !rowsWait && !receiver.isTrying();
    }

    private void succeeded() {
        if (receiver.denial().isOn()) {
            // What was tried in vain meanwhile is due at once.
            agendaDue = ticker.nanos();
        }
        receiver.succeeded();
    }

    private void failed(Tracked item, Outcome.Failure failure) {
        if (item.isStranded()) {
            dispatch.failedBefore(item);
            return;
        }
        boolean late = receiver.breaker().isOpen() && !item.isProbe();
        Troubles.Verdict verdict =
                troubles.failed(item, failure, late, receiver.denial().isOn(), care.isNeeded());
        receiver.failed(item, failure, sent.isSilentSince(item));
        if (failure instanceof Outcome.Gone) {
            gone = failure.reason();
        }
        if (verdict == Troubles.Verdict.SET_ASIDE) {
            dispatch.setAside(item);
            replays.finished(item);
        } else {
            if (item.isLive() && receiver.isTrying()) {
                item.tried();
            }
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
        if (sent.count() > 0 && lease.trustNanos() <= 0 && guards.hold(Guard.TRUST_OUTLASTS_SEND)) {
            rewind();
            return;
        }
        String silence = "no answer within " + subscription.timeout().toMillis() + " ms";
        for (Tracked overdue = sent.isBroken() ? null : sent.pollOverdue();
                overdue != null;
                overdue = sent.isBroken() ? null : sent.pollOverdue()) {
            failed(
                    overdue,
                    subscription.sink().keepsOrder()
                            ? new Outcome.Unavailable(ErrorClass.TIMEOUT, silence)
                            : new Outcome.Retry(ErrorClass.TIMEOUT, silence));
        }
        if (sent.isBroken()) {
            rewind();
        }
        settleFromTheFront();
    }

    private void rewind() {
        dispatch.rewind();
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
        for (Tracked done = dispatch.unsettled().pollSettled();
                done != null;
                done = dispatch.unsettled().pollSettled()) {
            progress.settled(done);
        }
    }

    // ---- settling

    /** Settles if it is time. False if the store knows something after it that this run does not. */
    private boolean settle() {
        Settlement settlement = progress.due(
                dispatch.high(progress.mark()),
                !dispatch.unsettled().isEmpty(),
                parkedFor(),
                isAwaited(),
                isLast(),
                care.isUndisturbed(),
                (orders.get().inFlightLimit() + 1) / 2,
                new Settlement.Gauge(
                        receiver.breaker().reason(), receiver.denial().told(), troubles.blockedKeys()),
                troubles);
        if (settlement == null) {
            return true;
        }
        Settled settled = settle(settlement);
        if (settled.done()) {
            written(settlement, settled);
        }
        // What the store had to set aside is not as this run knows it.
        return settled.done() && settled.setAside().isEmpty();
    }

    private Settled settle(Settlement settlement) {
        try {
            Settled settled = store.settle(settlement);
            if (!settlement.isMarkOnly()) {
                setback.passed();
            }
            return settled;
        } catch (PosthornException e) {
            if (!Outage.isOneOrCancelled(e)) {
                setback.refused(ticker.nanos());
            }
            throw e;
        }
    }

    private void written(Settlement settlement, Settled settled) {
        places.giveBack(progress.written(settlement));
        dispatch.written(progress.writtenNumber(), reader.hasCaughtUp());
        rowsDelivered &= !dispatch.unsettled().isEmpty();
        troubles.forgetKeys(dispatch.unsettled());
        settlement.changes().committed(settled.seqsSetAside());
        int delivered = progress.takeDelivered();
        if (delivered > 0) {
            listener.delivered(subscription.name(), name, delivered);
        }
        settled.setAside().forEach(this::tell);
    }

    private void tell(Settled.SetAside event) {
        RecordedEvent letter = event.letter();
        if (letter != null) {
            listener.deadLettered(subscription.name(), letter, event.attempts(), event.failure(), event.holdsKey());
        }
    }

    /** Whether somebody waits for what is to be settled now. */
    private boolean isAwaited() {
        return isLast() || (troubles.isReleaseDue() && troubles.hasChanges()) || care.isCounting() || commandsWait;
    }

    /** Whether the lane may end with what is to be settled now: it leaves, or stands where its generation ends. */
    private boolean isLast() {
        Orders now = orders.get();
        return (now.leave() && sent.count() == 0)
                || (now.stopAt() != null && progress.mark().isAt(now.stopAt()))
                || parkedFor() != null;
    }

    private @Nullable UUID parkedFor() {
        Orders now = orders.get();
        boolean stands =
                now.stopAt() == null && reader.isAtTail() && isIdle() && (!now.park() || !dispatch.awaitsReading());
        return stands ? now.parkFor() : null;
    }

    /** Whether all that it had to do with is settled. */
    boolean hasNothingInHand() {
        return isIdle() && progress.unwritten() == 0;
    }

    private boolean isIdle() {
        return dispatch.unsettled().isEmpty() && troubles.loaded() == 0 && !troubles.hasChanges();
    }

    // ---- rows and commands

    /** Sees to what waits: held events whose key is free, rows whose time has come, commands. */
    private void tend() {
        Orders now = orders.get();
        if (now.leave() || !progress.areRowsTrue(troubles)) {
            return;
        }
        boolean sending = now.isSending() && !now.park() && !receiver.breaker().isOpen();
        if (sending && troubles.isReleaseDue()) {
            take(troubles::release, ROWS);
        }
        long time = ticker.nanos();
        agendaDue = Math.min(agendaDue, troubles.takeSoonest());
        if (agendaDue - time > 0 && !commandsWait) {
            return;
        }
        LaneStore.Agenda agenda = store.agenda();
        Duration next = agenda.nextDue();
        rowsWait = next != null;
        boolean due = next != null && (next.isZero() || next.isNegative());
        agendaDue = time + (next == null || due ? SECOND : Math.min(SECOND, next.toNanos()));
        if (sending && due && tokens.areAwaited() && troubles.loaded() > 0) {
            // There are rows at hand that could not be sent yet.
            agendaDue = time + Progress.SETTLE_NANOS;
        } else if (sending && due && (!receiver.denial().isOn() || care.isNeeded())) {
            int wanted = rowsWanted();
            boolean more = wanted > 0 && take(troubles::due, wanted) == wanted;
            agendaDue = more ? time : time + Progress.SETTLE_NANOS;
        }
        replays.expect(agenda.replays());
        commandsWait = agenda.commands() && !(progress.isWritten() && desk.carryOut());
    }

    /** No more than can be sent soon: what has failed may hang, and must not take the room of what comes. */
    private int rowsWanted() {
        Orders now = orders.get();
        int most = Math.min(ROWS, Math.max(1, now.inFlightLimit() / 4));
        int soon = Dispatch.retriesAtATime(now.concurrency());
        return Math.max(
                0,
                (soon < ROWS ? Math.min(most, ROWS_AHEAD * soon) : most)
                        - dispatch.toSend().retries());
    }

    /** While others are tried first: what was tried gets rows, a few at a time, when there is no room for more. */
    private void makeRoom() {
        Orders now = orders.get();
        if (!receiver.isTrying() || now.leave()) {
            return;
        }
        boolean isShort = receiver.needsRoom() && reader.isShortOfRoom();
        int most = now.park() ? Integer.MAX_VALUE : isShort ? receiver.rowsNow() : 0;
        if (most > 0) {
            dispatch.toSend().takeTried(most).forEach(item -> troubles.makeRoomFor(item, receiver.failure()));
        }
    }

    private interface Loading {
        List<Tracked> load(int room);
    }

    private int take(Loading loading, int most) {
        int taken = places.take(most);
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
     * While it is not known whether the receiver takes any, one if there is nothing else to try. What was given before may
     * be the next, so it matters even then whether its replay still runs.
     */
    private void feedReplays() {
        if (!mayFeedReplays()) {
            dispatch.replays().takeBackAll();
        } else if (!receiver.isTrying()) {
            replays.feed(Integer.MAX_VALUE);
        } else {
            boolean wanted = receiver.lacksTrial() || care.isNeeded();
            replays.feed(wanted && !dispatch.hasUnsent() ? 1 : 0);
        }
    }

    private boolean mayFeedReplays() {
        Orders now = orders.get();
        return now.isSending() && !now.park();
    }

    /** There is something to read. */
    void wake() {
        reader.wake();
    }

    /** The database does not answer. */
    void failedToWork() {
        reader.failed();
    }

    // ---- leaving

    /**
     * What was not sent, yet stands between the mark and something that was delivered. An event that was delivered by its
     * row may lie anywhere in what was read: with the row gone, only the mark keeps an heir from sending it again. One
     * that arrived before the connection was lost may lie anywhere in what is still to be read.
     */
    private List<Tracked> inTheWay() {
        boolean anywhere = rowsDelivered || dispatch.awaitsReading();
        return anywhere ? dispatch.unsettled().unsent() : dispatch.unsettled().unsentBeforeDelivered();
    }

    /** Whether everything it has sent is settled, so that it can go. */
    boolean isReadyToLeave() {
        return sent.count() == 0
                && progress.isWritten()
                && progress.isReceipted()
                && !troubles.hasChanges()
                && answers.isEmpty()
                && !dispatch.awaitsReading()
                // The order may have come in the middle of this pass.
                && inTheWay().isEmpty();
    }

    /** In how many nanoseconds there is something to do, unless an answer comes before. */
    long pause() {
        if (!answers.isEmpty()) {
            return 0;
        }
        long now = ticker.nanos();
        long next = Math.min(progress.nextDueNanos(troubles), agendaDue - now);
        next = Math.min(next, Math.max(receiver.nextNanos(dispatch.toSend().hasUntried(), now), tokens.nextNanos()));
        if (troubles.isReleaseDue() || care.isCounting() || commandsWait) {
            next = Math.min(next, Duration.ofMillis(1).toNanos());
        }
        if (!receiver.breaker().isOpen() && orders.get().isSending()) {
            next = Math.min(next, dispatch.nextDueNanos());
        }
        next = Math.min(next, reader.nextDueNanos());
        if (mayFeedReplays()) {
            next = Math.min(next, replays.nextDueNanos());
        }
        return Math.max(0, Math.min(next, Progress.SETTLE_NANOS));
    }
}
