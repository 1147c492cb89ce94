package dev.posthorn.relay.lane;

import static java.util.stream.Collectors.toSet;

import dev.posthorn.relay.budget.InFlightPlaces;
import dev.posthorn.relay.budget.LaneOrders;
import dev.posthorn.relay.budget.RetryPlaces;
import dev.posthorn.relay.budget.Tokens;
import dev.posthorn.relay.lane.trouble.Breaker;
import dev.posthorn.relay.lane.trouble.Denial;
import dev.posthorn.relay.lane.trouble.Purpose;
import dev.posthorn.relay.lane.trouble.ReceiverState;
import dev.posthorn.relay.store.DeliveryRow;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.Lease;
import dev.posthorn.relay.store.Ticker;
import dev.posthorn.subscription.Subscription;
import java.util.Iterator;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Decides which of the events in a lane's hands are sent now: all, some to try, one carefully, or none. */
final class Sender {

    /** One in so many of the places at the sink. */
    private static final int KEPT_FREE = 4;

    private static final long LEAST = 1_000_000;
    private static final long SOON = 10_000_000;
    private static final long LATER = 50_000_000;

    private final Subscription subscription;
    private final Lease lease;
    private final Supplier<LaneOrders> orders;
    private final InFlightPlaces places;
    private final Tokens tokens;
    private final InFlight sent;
    private final Backlog backlog;
    private final Dispatch dispatch;
    private final Troubles troubles;
    private final RowsInHand rows;
    private final Unwritten unwritten;
    private final ReceiverState receiver;
    private final Breaker breaker;
    private final Denial denial;
    private final CarefulMode care;
    private final Progress progress;
    private final Admission admission;
    private final Chooser chooser;
    private final Ticker ticker;
    private final boolean isFirstLane;

    Sender(LaneGrant grant, Subscription subscription, LanePorts ports, LaneParts parts, Admission admission) {
        this.subscription = subscription;
        this.lease = grant.lease();
        this.orders = parts.hold().orders();
        this.places = parts.hold().places();
        this.tokens = parts.hold().tokens();
        this.sent = parts.hold().sent();
        this.backlog = parts.backlog();
        this.dispatch = parts.dispatch();
        this.troubles = parts.troubles();
        this.rows = parts.rows();
        this.unwritten = parts.unwritten();
        this.receiver = parts.hold().receiver();
        this.breaker = receiver.breaker();
        this.denial = receiver.denial();
        this.isFirstLane = grant.scope().index() == 0;
        this.care = parts.care();
        this.progress = parts.progress();
        this.admission = admission;
        this.chooser = new Chooser(backlog, admission, tokens);
        this.ticker = ports.ticker();
    }

    /**
     * Hands over whatever may go.
     *
     * @param seenAll whether neither the log nor the rows have more to come
     */
    void handOver(boolean seenAll) {
        letGo();
        // While a sink that keeps the order is away, nothing but the first event in its hands tells more than another.
        backlog.toSend()
                .trying(denial.isOn()
                        || (breaker.isOpen() && !subscription.sink().keepsOrder()));
        try {
            if (orders.get().isSending() && isTrusted()) {
                if (care.isCounting() && progress.areRowsTrue()) {
                    care.takeCounted().forEach(backlog.toSend()::addFirst);
                }
                send(seenAll);
                // Asking for tokens may have taken long.
                if (tokens.areLacking() && tokens.obtain(couldGo()) && isTrusted()) {
                    send(seenAll);
                }
            }
        } finally {
            tokens.putDown();
        }
    }

    /** In how many nanoseconds to come again; very long if nothing but an answer or an order makes a difference. */
    long nextDueNanos() {
        if (!orders.get().isSending()) {
            return Long.MAX_VALUE;
        }
        if (!isTrusted()) {
            // The renewal that it waits for tells nobody.
            return backlog.hasUnsent() || care.isCounting() || receiver.isTrying() ? LATER : Long.MAX_VALUE;
        }
        // No later, or it would lose its place in the line.
        return tokens.areAwaited()
                ? Math.max(nextTrialNanos(), Math.min(LATER, tokens.nextNanos()))
                : Math.min(nextTrialNanos(), nextSendNanos());
    }

    private long nextTrialNanos() {
        if (!receiver.isTrying()) {
            return tokens.areAwaited() ? 0 : Long.MAX_VALUE;
        }
        boolean full = !breaker.isOpen() && mayGo() == 0;
        long next = receiver.nextNanos(backlog.toSend().hasUntried(), ticker.nanos());
        return full ? Long.MAX_VALUE : Math.max(LEAST, next);
    }

    private long nextSendNanos() {
        if (care.isNeeded()) {
            return sent.count() == 0 ? LATER : Long.MAX_VALUE;
        }
        if (sent.slots().areAwaited()) {
            return Long.MAX_VALUE;
        }
        return backlog.hasUntried() && sent.count() < orders.get().concurrency() ? SOON : Long.MAX_VALUE;
    }

    private int couldGo() {
        if (breaker.isOpen() || care.isNeeded()) {
            return 1;
        }
        int most = Math.min(orders.get().concurrency() - sent.count(), tokens.portion());
        return Math.max(1, backlog.couldGo(most));
    }

    private void send(boolean seenAll) {
        if (breaker.isOpen()) {
            probe();
        } else if (care.isNeeded()) {
            sendCarefully(seenAll);
        } else if (denial.isOn()) {
            tryAll();
        } else if (backlog.hasUnsent()) {
            sendAll();
        }
    }

    /** Also while nothing is sent: that is when it is asked for. */
    private void letGo() {
        LaneOrders now = orders.get();
        boolean stands = receiver.isTrying() || now.paused();
        if (stands && now.letGoSeq() > 0 && !now.leave() && backlog.hasUnsent()) {
            Set<LaneEvent> gone =
                    dispatch.recallUnsent().stream().filter(admission::letsGo).collect(toSet());
            backlog.toSend().removeAll(gone);
        }
    }

    /** A send that outlives the lease could meet another owner's. */
    private boolean isTrusted() {
        return lease.trustNanos() > subscription.timeout().toNanos();
    }

    // ---- all is well

    private void sendAll() {
        backlog.unstall();
        int concurrency = orders.get().concurrency();
        int mostRetries = RetryPlaces.atATime(concurrency);
        while (sent.count() < concurrency && sent.hasSlot()) {
            LaneEvent next = chooser.next(sent.mayRetry(mostRetries));
            if (next == null) {
                break;
            }
            dispatch.send(next, Purpose.DELIVERY);
        }
        sendReplays(concurrency - concurrency / KEPT_FREE);
        sent.flush();
    }

    /** A part of what the sink takes at a time is kept free of replays: what comes live need not wait for them. */
    private void sendReplays(int concurrency) {
        Iterator<LaneEvent> waiting = backlog.replays().iterator();
        while (sent.count() < concurrency && sent.hasSlot()) {
            LaneEvent next = chooser.nextReplay(waiting);
            if (next == null) {
                break;
            }
            dispatch.send(next, Purpose.DELIVERY);
        }
    }

    // ---- nobody answers

    /** In turn one that has failed before, and some that were never tried. */
    private void probe() {
        long now = ticker.nanos();
        if (!breaker.mayProbe(now) || tokens.lack()) {
            return;
        }
        boolean untried = breaker.isTurnOfUntried();
        boolean failedGo = !untried && probeFailed();
        // What hangs hangs for long: others need not wait for their turn.
        boolean untriedGo = (untried || breaker.isSilent()) && probeUntried();
        if (failedGo || untriedGo) {
            breaker.probed(now);
        } else {
            breaker.foundNothing(now);
        }
    }

    /** Rather one that has failed before than one more: it may count. */
    private boolean probeFailed() {
        if (sent.probes(false) > 0 || mayGo() == 0) {
            return false;
        }
        LaneEvent counting = denial.isOn() && mayLoad() ? load(this::counting) : null;
        LaneEvent item = counting == null ? loadAny() : counting;
        if (item == null && sent.probes(true) == 0) {
            item = chooser.nextOfAll();
        }
        breaker.lacksProbe(item == null && progress.areRowsTrue());
        boolean mayCount = counting != null || !denial.isOn();
        return item != null && sendAlone(item, mayCount ? Purpose.PROBE : Purpose.TRIAL);
    }

    private boolean probeUntried() {
        int width = Math.min(breaker.width(), RetryPlaces.atATime(orders.get().concurrency()));
        int most = Math.max(0, Math.min(mayGo(), width - sent.probes(true)));
        int count = sendUntried(most);
        breaker.lacksProbe(count == 0 || breaker.isSilent());
        LaneEvent item = count == 0 && most > 0 ? chooser.nextTried() : null;
        return count > 0 || (item != null && sendAlone(item, Purpose.TRIAL));
    }

    // ---- the receiver refuses everything

    /** What was not tried yet, in rounds, and one a second of what was. */
    private void tryAll() {
        backlog.putDownRetries();
        long now = ticker.nanos();
        if (denial.mayTryAgain(now) && mayGo() > 0 && !tokens.lack()) {
            denial.triedAgain(tryAgain(), now);
        }
        int most = Math.min(denial.untriedNow(now), mayGo());
        if (sendUntried(most) > 0) {
            denial.triedRound(now);
        }
    }

    /** Sends up to so many that were not tried yet, each of another key. Returns how many there were. */
    private int sendUntried(int most) {
        // Looking for what was tried before may have taken long.
        if (!isTrusted()) {
            return 0;
        }
        backlog.unstall();
        int count = 0;
        for (LaneEvent next = most == 0 ? null : chooser.next(false);
                next != null;
                next = ++count < most ? chooser.next(false) : null) {
            dispatch.send(next, Purpose.TRIAL);
        }
        sent.flush();
        return count;
    }

    private boolean tryAgain() {
        LaneEvent counting = mayLoad() ? load(this::counting) : null;
        if (counting != null) {
            return sendAlone(counting, Purpose.PROBE);
        }
        LaneEvent item = denial.isTurnOfRows() ? loadAny() : chooser.nextTried();
        if (item == null) {
            item = denial.isTurnOfRows() ? chooser.nextTried() : loadAny();
        }
        if (item == null && denial.lacksTrial()) {
            item = chooser.nextOfAll();
        }
        return item != null && sendAlone(item, Purpose.TRIAL);
    }

    /** How many more may be on their way while it is not known whether the receiver takes any. */
    private int mayGo() {
        if (subscription.sink().keepsOrder()) {
            return sent.count() == 0 ? 1 : 0;
        }
        return Math.max(0, Math.min(orders.get().concurrency() - sent.count(), sent.triesLeft()));
    }

    private boolean sendAlone(LaneEvent item, Purpose why) {
        if (!isTrusted()) {
            // Looking for it took long.
            backlog.putBack(item);
            return false;
        }
        dispatch.sendAlone(item, why);
        return true;
    }

    // ---- a row to try with

    private boolean mayLoad() {
        return progress.areRowsTrue() && !orders.get().park();
    }

    private @Nullable LaneEvent loadAny() {
        return mayLoad() ? load(rows::probe) : null;
    }

    /** One event of the subscription uses up its attempts while the receiver refuses everything. */
    private @Nullable LaneEvent counting() {
        DeliveryRow oldest = isFirstLane ? rows.oldestDue() : null;
        return oldest != null && denial.mayCount(oldest.seq(), ticker.nanos()) ? rows.load(oldest) : null;
    }

    private @Nullable LaneEvent load(Supplier<@Nullable LaneEvent> which) {
        int taken = places.take(1);
        LaneEvent row = null;
        try {
            row = taken == 0 ? null : which.get();
        } finally {
            places.giveBack(row == null ? taken : 0);
        }
        return row != null && !dispatch.resumes(row) && chooser.takes(row) ? row : null;
    }

    // ---- an event may end the process

    /** One event at a time, each attempt written down before it is made. */
    private void sendCarefully(boolean seenAll) {
        if (sent.count() > 0 || care.isCounting()) {
            return;
        }
        LaneEvent next = chooser.nextOfAll();
        if (next == null) {
            if (isNothingLeft(seenAll)) {
                care.passed(true);
            }
        } else if (next.isCounted()) {
            dispatch.sendAlone(next, Purpose.DELIVERY);
        } else if (next.isLive() && orders.get().stopAt() != null) {
            // With its row the mark passes it, and at the common snapshot nothing may be on its way.
            troubles.leaveToTheNext(next);
            backlog.giveBackTurn(next);
        } else {
            backlog.giveBackTurn(next);
            admission.count(next);
        }
    }

    /** Whether nothing is left that could end the process. */
    boolean isNothingLeft(boolean seenAll) {
        return seenAll && isIdle() && !backlog.hasUnsent() && !receiver.isTrying();
    }

    /** Whether nothing is in the lane's hands or to be written. */
    boolean isIdle() {
        return dispatch.unsettled().isEmpty() && rows.count() == 0 && unwritten.isEmpty();
    }
}
