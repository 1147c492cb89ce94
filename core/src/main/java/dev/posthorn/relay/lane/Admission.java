package dev.posthorn.relay.lane;

import dev.posthorn.relay.budget.InFlightPlaces;
import dev.posthorn.relay.budget.LaneOrders;
import dev.posthorn.relay.budget.Tokens;
import dev.posthorn.relay.lane.trouble.FailureRule;
import dev.posthorn.relay.store.DeliveryState;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import java.util.Objects;
import java.util.function.Supplier;

/** Looks at each event before it is sent: it may go, or gets the row or dead letter that it needs, or is put down. */
final class Admission {

    private final Supplier<LaneOrders> orders;
    private final InFlightPlaces places;
    private final Tokens tokens;
    private final Backlog backlog;
    private final Troubles troubles;
    private final RowsInHand rows;
    private final FailureRule rule;
    private final CarefulMode care;
    private final CommandRunner commands;
    private final ReplayFeed replays;

    Admission(LaneParts parts, ReplayFeed replays) {
        this.orders = parts.hold().orders();
        this.places = parts.hold().places();
        this.tokens = parts.hold().tokens();
        this.backlog = parts.backlog();
        this.troubles = parts.troubles();
        this.rows = parts.rows();
        this.rule = parts.rule();
        this.care = parts.care();
        this.commands = parts.commands();
        this.replays = replays;
    }

    boolean admits(LaneEvent item) {
        if (commands.defers(item)) {
            return false;
        }
        if (item.isDeferred()) {
            troubles.defer(item, Objects.requireNonNull(item.event().event().deliverAt()));
            return false;
        }
        return !letsGo(item) && !isGivenUp(item) && !isCountedFirst(item) && !waits(item);
    }

    /** Whether it is given up on request. */
    boolean letsGo(LaneEvent item) {
        if (!item.isLive() || item.seq() >= orders.get().letGoSeq()) {
            return false;
        }
        Outcome.Failure why =
                new Outcome.Reject(ErrorClass.REJECTED, "let go undelivered on request, so that the log could be cut");
        troubles.letGo(item, why);
        return true;
    }

    private boolean isGivenUp(LaneEvent item) {
        if (!isExhausted(item)) {
            return false;
        }
        troubles.giveUp(item, care.assumed());
        replays.finished(item);
        return true;
    }

    private boolean isExhausted(LaneEvent item) {
        if (item.isLive() || item.isCounted()) {
            return false;
        }
        return item.isReplay() ? item.isSuspect() : rule.isExhausted(item.attempts());
    }

    private boolean isCountedFirst(LaneEvent item) {
        if (!item.isSuspect()) {
            return false;
        }
        count(item);
        return true;
    }

    /** Writes the attempt down before it is made. After the commit it comes first. */
    void count(LaneEvent item) {
        tokens.spend();
        if (item.isLive()) {
            // It has one already, and gets a row as well.
            places.overdraw(1);
        }
        care.count(troubles.countBeforeSending(item, care.attempt(item), care.assumed()));
    }

    /** Whether something of its key is in front of it. */
    private boolean waits(LaneEvent item) {
        if (rows.isHeldAgain(item)) {
            rows.putDown(item);
            return true;
        }
        boolean joinsItsKey = item.isLive() || (item.state() == DeliveryState.DEFERRED && !item.isReplay());
        if (!joinsItsKey || !troubles.isBlocked(item)) {
            return false;
        }
        if (!backlog.waitsForEarlier(item)) {
            troubles.hold(item);
        }
        return true;
    }
}
