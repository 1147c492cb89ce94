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

/** Decides which of the events in a lane's hands are sent now: all, one as a probe, one carefully, or none. */
final class Sender {

    private final Subscription subscription;
    private final Lease lease;
    private final Supplier<Orders> orders;
    private final Places places;
    private final Tokens tokens;
    private final InFlight sent;
    private final Dispatch dispatch;
    private final Troubles troubles;
    private final Breaker breaker;
    private final Care care;
    private final Progress progress;
    private final Desk desk;
    private final Consumer<Tracked> forget;
    private final Consumer<Tracked> givenUp;
    private final Ticker ticker;
    private final Guards guards;

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
        this.breaker = parts.hold().breaker();
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
        } else if (dispatch.hasUnsent()) {
            dispatch.handOver(orders.get().concurrency(), this::admits);
        }
    }

    /** Also while nothing is sent: that is when it is asked for. */
    private void letGo() {
        Orders now = orders.get();
        boolean stands = breaker.isOpen() || now.paused();
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

    /** While the breaker is open: one event, and rather one that has failed before than one more. */
    private void probe() {
        if (!breaker.mayProbe(ticker.nanos()) || tokens.lack()) {
            return;
        }
        Tracked item = progress.areRowsTrue(troubles) && !orders.get().park() ? loadProbe() : null;
        if (item == null) {
            item = dispatch.pollNext(this::admits);
        }
        breaker.lacksProbe(item == null && progress.areRowsTrue(troubles));
        if (item != null && !isTrusted()) {
            // Looking for it took long.
            dispatch.putBack(item);
        } else if (item != null) {
            breaker.probing();
            dispatch.sendAlone(item, true);
        }
    }

    private @Nullable Tracked loadProbe() {
        int taken = places.take(1);
        Tracked row = null;
        try {
            row = taken == 0 ? null : troubles.probe();
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
            dispatch.sendAlone(next, false);
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
