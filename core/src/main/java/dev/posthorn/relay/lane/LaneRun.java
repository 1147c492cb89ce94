package dev.posthorn.relay.lane;

import dev.posthorn.error.Outage;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.relay.budget.InFlightPlaces;
import dev.posthorn.relay.budget.LaneOrders;
import dev.posthorn.relay.lane.trouble.Circumstances;
import dev.posthorn.relay.lane.trouble.FailureRule;
import dev.posthorn.relay.lane.trouble.ReceiverState;
import dev.posthorn.relay.lane.trouble.Verdict;
import dev.posthorn.relay.store.DeliveryRow;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.LaneStore;
import dev.posthorn.relay.store.Lease;
import dev.posthorn.relay.store.Settled;
import dev.posthorn.relay.store.Settlement;
import dev.posthorn.relay.store.StoredLane;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.Subscription;
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

    private final String name;
    private final Subscription subscription;
    private final LanePorts ports;
    private final LaneHold hold;
    private final Lease lease;
    private final Supplier<LaneOrders> orders;
    private final InFlight.Answers answers;
    private final InFlight sent;
    private final InFlightPlaces places;
    private final ReceiverState receiver;
    private final Backlog backlog;
    private final Dispatch dispatch;
    private final FailureRule rule;
    private final Unwritten unwritten;
    private final RowsInHand rows;
    private final Troubles troubles;
    private final CarefulMode care;
    private final Progress progress;
    private final Aboard aboard;
    private final LaneReader reader;
    private final Sender sender;
    private final ReplayFeed replays;
    private final RowTender tender;

    /** Whether an event arrived by its row while others that were read are not settled. */
    private boolean rowsDelivered;

    /** Why the receiver wants no more events, if that is to be written yet. */
    private @Nullable String gone;

    /** A run that goes on from where the lane fell asleep. */
    static LaneRun awake(Aboard aboard, LanePorts ports, LaneHold hold) {
        LaneRun run = new LaneRun(aboard, ports, hold, aboard.asleep(), new SentBefore());
        run.reader.hasReadAll();
        aboard.unpassed().forEach(run.dispatch::remember);
        aboard.unpassed().forEach(run.progress::settled);
        run.progress.oweReceipt(aboard.unreceipted());
        return run;
    }

    LaneRun(Aboard aboard, LanePorts ports, LaneHold hold, StoredLane stored, SentBefore before) {
        LaneGrant grant = aboard.grant();
        this.aboard = aboard;
        this.name = grant.name();
        this.subscription = aboard.subscription();
        this.ports = ports;
        this.hold = hold;
        this.lease = grant.lease();
        this.orders = hold.orders();
        this.answers = hold.answers();
        this.sent = hold.sent();
        this.places = hold.places();
        this.receiver = hold.receiver();
        this.rule = new FailureRule(subscription);
        this.unwritten = new Unwritten(subscription);
        this.rows = new RowsInHand(subscription, ports.store(), places, unwritten, stored.rowSeq());
        this.troubles = new Troubles(subscription, ports, rule, rows, unwritten);
        this.backlog = new Backlog(subscription, sent, rows);
        this.dispatch = new Dispatch(subscription, hold.tokens(), sent, before, backlog);
        this.care = new CarefulMode(stored, subscription, ports.ticker(), ports.instance());
        this.progress = new Progress(stored, ports, unwritten);
        CommandRunner commands = new CommandRunner(ports.store(), troubles, rows, dispatch);
        LaneParts parts =
                new LaneParts(hold, backlog, dispatch, troubles, rows, unwritten, rule, care, progress, commands);
        this.reader = new LaneReader(stored, ports, parts, aboard);
        aboard.serve(parts, reader);
        this.replays = new ReplayFeed(grant, ports, parts);
        this.sender = new Sender(grant, subscription, ports, parts, new Admission(parts, replays));
        this.tender = new RowTender(stored, ports, parts, replays);
    }

    // ---- beginning and ending

    /** What the store told of keys that are blocked. May ask it about those of the rows of what was sent before. */
    void know(LaneStore.Blocked blocked, List<DeliveryRow> before) {
        rows.restore(blocked);
        rows.know(before.stream().map(row -> row.event().event().key()));
    }

    /** Takes the rows of what was sent before. Asks nobody any more. */
    void restore(List<DeliveryRow> before) {
        for (DeliveryRow row : before) {
            places.overdraw(1);
            dispatch.addRows(List.of(rows.load(row)));
        }
        takeArrivedBefore();
    }

    /**
     * The connection was lost: whether the settle, or the front's move, that was under way was done is known by the turn that
     * is stored.
     */
    void resolve(long storedTurn) {
        aboard.resolve(storedTurn);
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
        unwritten.keepArrived(kept);
        Settlement inDoubt = progress.pending();
        care.counted().stream()
                .filter(item -> !unwritten.isRowOf(item)
                        && (inDoubt == null || !inDoubt.changes().rows.containsKey(item.seq())))
                .forEach(kept::keepRow);
    }

    /** Gives back the room that it has taken. */
    void end() {
        aboard.end();
        places.giveBack(reader.beyondMark());
    }

    /** Settles, reads and sends whatever is due. False if its knowledge of the store is no longer true. */
    boolean work() {
        pauseIfGone();
        if (!settle()) {
            return false;
        }
        tender.tend();
        if (reader.read(isWell() && progress.isCalm())) {
            hold.counters().databaseIsBack(name);
        }
        feedReplays();
        takeArrivedBefore();
        sender.handOver(hasSeenAll());
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
        if (receiver.isTrying()) {
            care.provesNothing();
        }
        takeArrivedBefore();
        takeAnswers();
        giveUpOverdue();
        if (mayLeaveBehind()) {
            inTheWay().forEach(troubles::leaveBehind);
            settleFromTheFront();
        }
    }

    private boolean mayLeaveBehind() {
        return orders.get().leave() && sent.count() == 0;
    }

    private void takeAnswers() {
        for (Sending answered = answers.next(sent); answered != null; answered = answers.next(sent)) {
            if (sent.take(answered)) {
                take(answered.item(), answered.outcome());
            }
        }
        settleFromTheFront();
    }

    private void take(LaneEvent item, Outcome outcome) {
        if (outcome instanceof Outcome.Failure failure) {
            if (!sent.isBroken()) {
                failed(item, failure);
            }
        } else {
            hold.counters().delivered(item.event());
            dispatch.delivered(item);
            arrived(item);
            succeeded();
        }
        if (care.isNeeded()) {
            care.passed(sender.isNothingLeft(hasSeenAll()));
        }
    }

    private void arrived(LaneEvent item) {
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
        for (LaneEvent item = dispatch.pollArrivedBefore(); item != null; item = dispatch.pollArrivedBefore()) {
            arrived(item);
        }
        settleFromTheFront();
    }

    /** Whether neither the log nor the rows have more to come, as far as known. */
    private boolean hasSeenAll() {
        return reader.hasSeenAll() && !tender.areRowsWaiting();
    }

    private void succeeded() {
        if (receiver.denial().isOn()) {
            // What was tried in vain meanwhile is due at once.
            tender.lookAtOnce();
        }
        receiver.succeeded();
    }

    private void failed(LaneEvent item, Outcome.Failure failure) {
        if (item.isStranded()) {
            dispatch.failedBefore(item);
            return;
        }
        Verdict verdict = rule.judge(item.failed(failure), circumstances(item), ports.random());
        troubles.failed(item, failure, verdict);
        receiver.failed(failure, item.freshKey(), sent.isSilentSince(item));
        if (failure instanceof Outcome.Gone) {
            gone = failure.reason();
        }
        if (verdict instanceof Verdict.Again) {
            if (item.isLive() && receiver.isTrying()) {
                item.tried();
            }
            dispatch.again(item);
        } else {
            dispatch.setAside(item);
            replays.finished(item);
        }
    }

    private Circumstances circumstances(LaneEvent item) {
        boolean late = receiver.breaker().isOpen() && !item.isProbe();
        return new Circumstances(late, receiver.denial().isOn(), care.isNeeded());
    }

    private void pauseIfGone() {
        if (gone != null) {
            boolean paused = ports.store().pause(gone);
            if (paused) {
                ports.listener().paused(subscription.name(), gone);
            }
            gone = null;
        }
    }

    /** Ends what owes an answer for too long: one event, or, if the sink keeps the order, the whole channel. */
    private void giveUpOverdue() {
        if (sent.count() > 0 && lease.trustNanos() <= 0) {
            rewind();
            return;
        }
        for (LaneEvent overdue = sent.isBroken() ? null : sent.pollOverdue();
                overdue != null;
                overdue = sent.isBroken() ? null : sent.pollOverdue()) {
            failed(overdue, silence());
        }
        if (sent.isBroken()) {
            rewind();
        }
        settleFromTheFront();
    }

    private Outcome.Failure silence() {
        String reason = "no answer within " + subscription.timeout().toMillis() + " ms";
        return subscription.sink().keepsOrder()
                ? new Outcome.Unavailable(ErrorClass.TIMEOUT, reason)
                : new Outcome.Retry(ErrorClass.TIMEOUT, reason);
    }

    private void rewind() {
        for (LaneEvent overtaken : dispatch.rewind()) {
            hold.counters().countOvertaken();
            ports.listener().overtaken(subscription.name(), overtaken.event());
        }
    }

    private void settleFromTheFront() {
        for (LaneEvent done = dispatch.unsettled().pollSettled();
                done != null;
                done = dispatch.unsettled().pollSettled()) {
            progress.settled(done);
            aboard.settled(done);
        }
    }

    // ---- settling

    /** Whether nothing is the matter, so that it may ride on the front. */
    private boolean isWell() {
        LaneOrders now = orders.get();
        return now.isSending()
                && !now.park()
                && now.letGoSeq() == 0
                && gone == null
                && unwritten.isEmpty()
                && rows.count() == 0
                && rows.keys().size() == 0
                && tender.hasNothing()
                && !replays.isExpected()
                && !care.isNeeded()
                && !care.isCounting()
                && !receiver.isTrying()
                && receiver.isCalm()
                && !dispatch.awaitsReading();
    }

    private Settlement.Gauge gauge() {
        return new Settlement.Gauge(
                receiver.breaker().reason(),
                receiver.denial().told(),
                rows.keys().size());
    }

    /** Settles if it is time. False if the store knows something after it that this run does not. */
    private boolean settle() {
        if (aboard.isSettledFor(isWell())) {
            return true;
        }
        Settlement settlement = progress.due(standing());
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

    private Progress.Standing standing() {
        return new Progress.Standing(
                dispatch.high(progress.mark()),
                !dispatch.unsettled().isEmpty(),
                parkedFor(),
                isAwaited(),
                isLast(),
                care.isUndisturbed(),
                (orders.get().inFlightLimit() + 1) / 2,
                gauge());
    }

    private Settled settle(Settlement settlement) {
        try {
            Settled settled = ports.store().settle(settlement);
            if (!settlement.isMarkOnly()) {
                hold.setback().passed();
            }
            return settled;
        } catch (PosthornException e) {
            if (!Outage.isOneOrCancelled(e)) {
                hold.setback().refused(ports.ticker().nanos());
            }
            throw e;
        }
    }

    private void written(Settlement settlement, Settled settled) {
        places.giveBack(progress.written(settlement));
        dispatch.written(progress.writtenNumber(), reader.hasCaughtUp());
        rowsDelivered &= !dispatch.unsettled().isEmpty();
        rows.forgetKeys(dispatch.unsettled());
        unwritten.written();
        if (!settlement.changes().isEmpty()) {
            tender.rowsWereWritten();
        }
        settlement.changes().committed(settled.seqsSetAside());
        int delivered = progress.takeDelivered();
        if (delivered > 0) {
            ports.listener().delivered(subscription.name(), name, delivered);
        }
        settled.setAside().forEach(this::tell);
    }

    private void tell(Settled.SetAside event) {
        RecordedEvent letter = event.letter();
        if (letter != null) {
            ports.listener()
                    .deadLettered(subscription.name(), letter, event.attempts(), event.failure(), event.holdsKey());
        }
    }

    boolean isRiding() {
        return aboard.isRiding();
    }

    /** Puts the lane to sleep if that loses nothing; null if it has to stay awake. */
    @Nullable
    Aboard fallAsleep() {
        boolean isQuiet = sender.isIdle() && sent.count() == 0 && answers.isEmpty() && dispatch.remembersOnlyLive();
        boolean isCalm = isWell() && progress.isSeenCalm() && !progress.isDisturbed();
        if (!isQuiet || !isCalm || !aboard.mayRest()) {
            return null;
        }
        aboard.fallAsleep(progress.asStored(rows.knownBelow()));
        return aboard;
    }

    /** Whether its row is not as it was thought to be, so that the lane has to begin anew. */
    boolean isVoid() {
        return aboard.isMislaid();
    }

    /** Whether somebody waits for what is to be settled now. */
    private boolean isAwaited() {
        return isLast()
                || (rows.keys().anyClear() && !unwritten.isEmpty())
                || care.isCounting()
                || tender.areCommandsWaiting();
    }

    /** Whether the lane may end with what is to be settled now: it leaves, or stands where its generation ends. */
    private boolean isLast() {
        LaneOrders now = orders.get();
        return (now.leave() && sent.count() == 0)
                || (now.stopAt() != null && progress.mark().isAt(now.stopAt()))
                || parkedFor() != null;
    }

    private @Nullable UUID parkedFor() {
        LaneOrders now = orders.get();
        boolean stands = now.stopAt() == null
                && reader.isAtTail()
                && sender.isIdle()
                && (!now.park() || !dispatch.awaitsReading());
        return stands ? now.parkFor() : null;
    }

    /** Whether all that it had to do with is settled, what was sent on a former connection too. */
    boolean hasNothingInHand() {
        return sender.isIdle() && progress.unwritten() == 0 && !dispatch.awaitsReading();
    }

    // ---- room and replays

    /** While others are tried first: what was tried gets rows, a few at a time, when there is no room for more. */
    private void makeRoom() {
        LaneOrders now = orders.get();
        if (!receiver.isTrying() || now.leave()) {
            return;
        }
        boolean isShort = receiver.needsRoom() && reader.isShortOfRoom();
        int most = now.park() ? Integer.MAX_VALUE : isShort ? receiver.rowsNow() : 0;
        if (most > 0) {
            backlog.toSend().takeTried(most).forEach(item -> troubles.makeRoomFor(item, receiver.failure()));
        }
    }

    /**
     * While it is not known whether the receiver takes any, one if there is nothing else to try. What was given before may
     * be the next, so it matters even then whether its replay still runs.
     */
    private void feedReplays() {
        if (!mayFeedReplays()) {
            replays.takeBack();
        } else if (!receiver.isTrying()) {
            replays.feed(Integer.MAX_VALUE);
        } else {
            boolean wanted = receiver.lacksTrial() || care.isNeeded();
            replays.feed(wanted && !backlog.hasUnsent() ? 1 : 0);
        }
    }

    private boolean mayFeedReplays() {
        LaneOrders now = orders.get();
        return now.isSending() && !now.park();
    }

    /** There is something to read. */
    void wake() {
        reader.wake();
    }

    /** Somebody asked for something. */
    void tendAtOnce() {
        tender.lookAtOnce();
        replays.lookAtOnce();
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
    private List<LaneEvent> inTheWay() {
        boolean anywhere = rowsDelivered || dispatch.awaitsReading();
        return anywhere ? dispatch.unsettled().unsent() : dispatch.unsettled().unsentBeforeDelivered();
    }

    /** Whether everything it has sent is settled, so that it can go. */
    boolean isReadyToLeave() {
        return sent.count() == 0
                && aboard.isApart()
                && progress.isWritten()
                && progress.isReceipted()
                && unwritten.isEmpty()
                && answers.isEmpty()
                && !dispatch.awaitsReading()
                // The order may have come in the middle of this pass.
                && inTheWay().isEmpty();
    }

    /** In how many nanoseconds there is something to do, unless the lane is signalled before. */
    long pause() {
        if (!answers.isEmpty() || (mayLeaveBehind() && !inTheWay().isEmpty())) {
            return 0;
        }
        long settling = aboard.isApart() ? progress.dueInNanos(standing()) : aboard.nextNanos(isWell());
        long next = Math.min(silenceNanos(), settling);
        next = Math.min(next, Math.min(reader.nextDueNanos(), tender.nextDueNanos()));
        next = Math.min(next, Math.min(sender.nextDueNanos(), receiver.worthTellingInNanos()));
        next = Math.min(next, roomNanos());
        if (progress.isDisturbed() && aboard.isApart()) {
            next = Math.min(next, care.undisturbedInNanos());
        }
        if (mayFeedReplays()) {
            next = Math.min(next, replays.nextDueNanos());
        }
        return Math.max(0, next);
    }

    /**
     * In how many nanoseconds an answer is overdue, or must not be waited for any longer. What the lease was good for may
     * turn out to be less.
     */
    long silenceNanos() {
        long trust = sent.count() == 0 ? Long.MAX_VALUE : Math.min(SECOND, lease.trustNanos());
        return Math.max(0, Math.min(sent.nextOverdueNanos(), trust));
    }

    /** In how many nanoseconds to see whether what was tried has to make room. */
    private long roomNanos() {
        boolean waits =
                receiver.isTrying() && receiver.needsRoom() && backlog.toSend().hasTried();
        return waits && !orders.get().leave()
                ? Math.max(Progress.SETTLE_NANOS, receiver.nextRowsNanos())
                : Long.MAX_VALUE;
    }
}
