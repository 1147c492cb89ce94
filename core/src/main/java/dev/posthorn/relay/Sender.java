package dev.posthorn.relay;

import dev.posthorn.log.Guard;
import dev.posthorn.log.Guards;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Decides which of the events in a lane's hands are sent now: all, some to try, one carefully, or none. */
final class Sender {

    private final Subscription subscription;
    private final Lease lease;
    private final Supplier<Orders> orders;
    private final Places places;
    private final Tokens tokens;
    private final InFlight sent;
    private final Dispatch dispatch;
    private final Troubles troubles;
    private final ReceiverState receiver;
    private final Breaker breaker;
    private final Denial denial;
    private final Care care;
    private final Progress progress;
    private final Desk desk;
    private final Consumer<Tracked> forget;
    private final Consumer<Tracked> givenUp;
    private final Ticker ticker;
    private final Guards guards;
    private final boolean isFirstLane;

    /**
     * @param forget takes rows that leave the lane's hands without an outcome
     * @param givenUp takes events that are not sent any more
     */
    Sender(
            LaneGrant grant,
            Subscription subscription,
            LanePorts ports,
            LaneParts parts,
            Consumer<Tracked> forget,
            Consumer<Tracked> givenUp) {
        this.subscription = subscription;
        this.lease = grant.lease();
        this.orders = parts.hold().orders();
        this.places = parts.hold().places();
        this.tokens = parts.hold().tokens();
        this.sent = parts.hold().sent();
        this.dispatch = parts.dispatch();
        this.troubles = parts.troubles();
        this.receiver = parts.hold().receiver();
        this.breaker = receiver.breaker();
        this.denial = receiver.denial();
        this.isFirstLane = grant.scope().index() == 0;
        this.care = parts.care();
        this.progress = parts.progress();
        this.desk = parts.desk();
        this.forget = forget;
        this.givenUp = givenUp;
        this.ticker = ports.ticker();
        this.guards = ports.guards();
    }

    /**
     * Hands over whatever may go.
     *
     * @param nothingLeft whether there is nothing more to come
     */
    void handOver(BooleanSupplier nothingLeft) {
        letGo();
        // While a sink that keeps the order is away, nothing but the first event in its hands tells more than another.
        dispatch.toSend()
                .trying(denial.isOn()
                        || (breaker.isOpen() && !subscription.sink().keepsOrder()));
        try {
            if (orders.get().isSending() && isTrusted()) {
                if (care.isCounting() && progress.areRowsTrue(troubles)) {
                    care.takeCounted().forEach(dispatch::addFirst);
                }
                send(nothingLeft);
                // Asking for tokens may have taken long.
                if (tokens.areLacking() && tokens.obtain(couldGo()) && isTrusted()) {
                    send(nothingLeft);
                }
            }
        } finally {
            tokens.putDown();
        }
    }

    private int couldGo() {
        if (breaker.isOpen() || care.isNeeded()) {
            return 1;
        }
        int most = Math.min(orders.get().concurrency() - sent.count(), tokens.portion());
        return Math.max(1, dispatch.couldGo(most));
    }

    private void send(BooleanSupplier nothingLeft) {
        if (breaker.isOpen()) {
            probe();
        } else if (care.isNeeded()) {
            sendCarefully(nothingLeft);
        } else if (denial.isOn()) {
            tryAll();
        } else if (dispatch.hasUnsent()) {
            dispatch.handOver(orders.get().concurrency(), this::admits);
        }
    }

    /** Also while nothing is sent: that is when it is asked for. */
    private void letGo() {
        Orders now = orders.get();
        boolean stands = receiver.isTrying() || now.paused();
        if (stands && now.letGoSeq() > 0 && !now.leave() && dispatch.hasUnsent()) {
            dispatch.review(item -> !letsGo(item));
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
        if (desk.defers(item)) {
            return false;
        }
        if (item.isDeferred()) {
            troubles.defer(item, Objects.requireNonNull(item.event().event().deliverAt()));
            return false;
        }
        if (letsGo(item)) {
            return false;
        }
        if (troubles.isExhausted(item)) {
            troubles.giveUp(item, care.assumed());
            givenUp.accept(item);
            return false;
        }
        if (item.isSuspect()) {
            count(item);
            return false;
        }
        if (troubles.isHeldAgain(item)) {
            forget.accept(item);
            return false;
        }
        boolean joinsItsKey = item.isLive() || (item.state() == DeliveryState.DEFERRED && !item.isReplay());
        if (joinsItsKey && troubles.isBlocked(item)) {
            if (!dispatch.waitsForEarlier(item)) {
                troubles.hold(item);
            }
            return false;
        }
        return true;
    }

    private boolean letsGo(Tracked item) {
        if (!item.isLive() || item.seq() >= orders.get().letGoSeq()) {
            return false;
        }
        Outcome.Failure why =
                new Outcome.Reject(ErrorClass.REJECTED, "let go undelivered on request, so that the log could be cut");
        troubles.letGo(item, why);
        return true;
    }

    /** While nobody answers: in turn one that has failed before, and some that were never tried. */
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
        Tracked counting = denial.isOn() && mayLoad() ? load(this::counting) : null;
        Tracked item = counting == null ? loadAny() : counting;
        if (item == null && sent.probes(true) == 0) {
            item = dispatch.pollNext(this::admits);
        }
        breaker.lacksProbe(item == null && progress.areRowsTrue(troubles));
        boolean mayCount = counting != null || !denial.isOn();
        return item != null && sendAlone(item, mayCount ? Purpose.PROBE : Purpose.TRIAL);
    }

    private boolean probeUntried() {
        int width =
                Math.min(breaker.width(), Dispatch.retriesAtATime(orders.get().concurrency()));
        int most = Math.max(0, Math.min(mayGo(), width - sent.probes(true)));
        int count = handOverUntried(most);
        breaker.lacksProbe(count == 0 || breaker.isSilent());
        Tracked item = count == 0 && most > 0 ? dispatch.pollTried(this::admits) : null;
        return count > 0 || (item != null && sendAlone(item, Purpose.TRIAL));
    }

    /** While the receiver refuses everything: what was not tried yet, in rounds, and one a second of what was. */
    private void tryAll() {
        dispatch.giveBackRetries();
        long now = ticker.nanos();
        if (denial.mayTryAgain(now) && mayGo() > 0 && !tokens.lack()) {
            denial.triedAgain(tryAgain(), now);
        }
        int most = Math.min(denial.untriedNow(now), mayGo());
        if (handOverUntried(most) > 0) {
            denial.triedRound(now);
        }
    }

    /** Looking for what was tried before may have taken long. */
    private int handOverUntried(int most) {
        return isTrusted() ? dispatch.handOverUntried(most, this::admits) : 0;
    }

    private boolean tryAgain() {
        Tracked counting = mayLoad() ? load(this::counting) : null;
        if (counting != null) {
            return sendAlone(counting, Purpose.PROBE);
        }
        Tracked item = denial.isTurnOfRows() ? loadAny() : dispatch.pollTried(this::admits);
        if (item == null) {
            item = denial.isTurnOfRows() ? dispatch.pollTried(this::admits) : loadAny();
        }
        if (item == null && denial.lacksTrial()) {
            item = dispatch.pollNext(this::admits);
        }
        return item != null && sendAlone(item, Purpose.TRIAL);
    }

    private @Nullable Tracked loadAny() {
        return mayLoad() ? load(troubles::probe) : null;
    }

    /** One event of the subscription uses up its attempts while the receiver refuses everything. */
    private @Nullable Tracked counting() {
        return isFirstLane ? troubles.oldest(seq -> denial.mayCount(seq, ticker.nanos())) : null;
    }

    /** How many more may be on their way while it is not known whether the receiver takes any. */
    private int mayGo() {
        if (subscription.sink().keepsOrder()) {
            return sent.count() == 0 ? 1 : 0;
        }
        return Math.max(0, orders.get().concurrency() - sent.count());
    }

    private boolean mayLoad() {
        return progress.areRowsTrue(troubles) && !orders.get().park();
    }

    private boolean sendAlone(Tracked item, Purpose why) {
        if (!isTrusted()) {
            // Looking for it took long.
            dispatch.putBack(item);
            return false;
        }
        dispatch.sendAlone(item, why);
        return true;
    }

    private @Nullable Tracked load(Supplier<@Nullable Tracked> which) {
        int taken = places.take(1);
        Tracked row = null;
        try {
            row = taken == 0 ? null : which.get();
        } finally {
            places.giveBack(row == null ? taken : 0);
        }
        return row != null && !dispatch.resumes(row) && admits(row) && dispatch.takesTurn(row) ? row : null;
    }

    /** One event at a time, each attempt written down before it is made. */
    private void sendCarefully(BooleanSupplier nothingLeft) {
        if (sent.count() > 0 || care.isCounting()) {
            return;
        }
        Tracked next = dispatch.pollNext(this::admits);
        if (next == null) {
            if (nothingLeft.getAsBoolean()) {
                care.passed(true);
            }
        } else if (next.isCounted()) {
            dispatch.sendAlone(next, Purpose.DELIVERY);
        } else if (next.isLive() && orders.get().stopAt() != null) {
            // With its row the mark passes it, and at the common snapshot nothing may be on its way.
            troubles.leaveToTheNext(next);
            dispatch.giveBackTurn(next);
        } else {
            dispatch.giveBackTurn(next);
            count(next);
        }
    }

    /** After the commit it comes first. */
    private void count(Tracked item) {
        tokens.spend();
        if (item.isLive()) {
            // It has one already, and gets a row as well.
            places.overdraw(1);
        }
        care.count(troubles.countBeforeSending(item, care.attempt(item), care.assumed()));
    }
}
