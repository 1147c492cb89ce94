package dev.posthorn.relay.lane;

import dev.posthorn.relay.lane.trouble.BlockedKeys;
import dev.posthorn.relay.lane.trouble.FailureRule;
import dev.posthorn.relay.lane.trouble.Verdict;
import dev.posthorn.relay.store.AttemptRecord;
import dev.posthorn.relay.store.Command;
import dev.posthorn.relay.store.DeadLetterState;
import dev.posthorn.relay.store.DeliveryRow;
import dev.posthorn.relay.store.DeliveryState;
import dev.posthorn.relay.store.ItemChange;
import dev.posthorn.relay.store.LetterChange;
import dev.posthorn.relay.store.OwnedReplayItem;
import dev.posthorn.relay.store.ReplayOrder;
import dev.posthorn.relay.store.Replayed;
import dev.posthorn.relay.store.RowChange;
import dev.posthorn.relay.store.Ticker;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.KeepAttempts;
import dev.posthorn.subscription.Ordering;
import dev.posthorn.subscription.RelayListener;
import dev.posthorn.subscription.Subscription;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Takes note of what does not go well in a lane: which events wait, for how long and behind what, and which are given up.
 * What becomes of an event that failed is decided elsewhere ({@link FailureRule}), and written by the next settle
 * ({@link Unwritten}).
 */
final class Troubles {

    private final Subscription subscription;
    private final RelayListener listener;
    private final Ticker ticker;
    private final RandomGenerator random;
    private final FailureRule rule;
    private final RowsInHand rows;
    private final BlockedKeys keys;
    private final Unwritten unwritten;

    /** When the next row is due or to be looked after, as far as this owner wrote it since it was last asked. */
    private @Nullable Long soonest;

    Troubles(Subscription subscription, LanePorts ports, FailureRule rule, RowsInHand rows, Unwritten unwritten) {
        this.subscription = subscription;
        this.listener = ports.listener();
        this.ticker = ports.ticker();
        this.random = ports.random();
        this.rule = rule;
        this.rows = rows;
        this.keys = rows.keys();
        this.unwritten = unwritten;
    }

    // ---- what waits

    boolean isBlocked(LaneEvent item) {
        return isOrdered(item) && keys.contains(item.key());
    }

    private boolean isOrdered(LaneEvent item) {
        return item.key() != null && subscription.ordering() == Ordering.KEY;
    }

    /** It waits behind an earlier event of its key. */
    void hold(LaneEvent item) {
        put(item.held());
        if (!item.isLive()) {
            rows.finish(item);
        }
        item.setAside();
    }

    /** It was not sent and will not be by this owner: the mark can pass it, to what was delivered behind it. */
    void leaveBehind(LaneEvent item) {
        Instant deliverAt = item.event().event().deliverAt();
        if (item.isDeferred() && deliverAt != null) {
            defer(item, deliverAt);
        } else if (!isOrdered(item)) {
            defer(item, item.event().createdAt());
        } else {
            hold(item);
        }
    }

    /**
     * The same for a change of generation that may still be withdrawn: then this owner goes on, and has to send it before
     * whatever comes behind it.
     */
    void leaveToTheNext(LaneEvent item) {
        leaveBehind(item);
        keys.change(isOrdered(item) ? item.key() : null, 0, 0, 0);
    }

    /** It waits until its time has come; its key does not wait for it. */
    void defer(LaneEvent item, Instant until) {
        putDeferred(RowChange.deferred(item.event(), item.attempts(), until));
        item.setAside();
    }

    void defer(DeliveryRow row, Instant until) {
        putDeferred(RowChange.deferred(row.event(), row.attempts(), until));
        if (row.state() == DeliveryState.WAITING) {
            rows.know(row.event().event().key());
            keys.change(row.event().event().key(), -1, 0, 0);
        }
    }

    /** By the database's clock: how long that is, it has to tell. */
    private void putDeferred(RowChange row) {
        put(row);
        isSoonest(ticker.nanos());
    }

    private void isSoonest(long due) {
        soonest = soonest == null || due - soonest < 0 ? due : soonest;
    }

    private void put(RowChange row) {
        unwritten.changes().put(row);
    }

    /** When to look after the next row that was written since this was asked last; null if none was. */
    @Nullable
    Long takeSoonest() {
        Long next = soonest;
        soonest = null;
        return next;
    }

    // ---- commands

    void release(DeadLetterState letter) {
        rows.know(letter.key());
        add(new LetterChange.Released(letter.seq()));
        holdNoMore(letter);
    }

    void discard(DeadLetterState letter, String by, String reason) {
        rows.know(letter.key());
        add(new LetterChange.Discarded(letter.seq(), by, reason));
        holdNoMore(letter);
    }

    void purge(DeadLetterState letter, String by, String reason) {
        add(new LetterChange.Purged(letter.seq(), by, reason));
        if (!letter.discarded()) {
            rows.know(letter.key());
            holdNoMore(letter);
        }
    }

    private void holdNoMore(DeadLetterState letter) {
        keys.change(letter.key(), 0, letter.holdsKey() ? -1 : 0, 0);
    }

    private void add(LetterChange change) {
        unwritten.changes().letters.add(change);
    }

    void answer(Command command, String text) {
        unwritten.changes().answers.put(command.id(), text);
    }

    // ---- what arrives

    /** It has arrived. */
    void delivered(LaneEvent item) {
        boolean live = item.isLive();
        if (!live || subscription.keepAttempts() == KeepAttempts.ALL) {
            noteAttempt(item, Outcome.DELIVERED);
        }
        if (!live) {
            rows.arrived(item);
            deliveredAgain(item);
            finish(item, item.holdsKey() ? -1 : 0);
        }
    }

    private void deliveredAgain(LaneEvent item) {
        Replayed replay = item.replay();
        if (replay != null) {
            unwritten.changes().items.add(new ItemChange.Delivered(replay.replayId(), item.seq()));
            if (replay.deadLetterId() != null) {
                add(new LetterChange.Removed(item.seq()));
            }
        }
    }

    /** It cannot be sent again. */
    void skip(ReplayOrder replay, OwnedReplayItem item) {
        unwritten
                .changes()
                .items
                .add(new ItemChange.Skipped(replay.id(), item.seq(), Objects.requireNonNull(item.skipped())));
    }

    // ---- what fails

    /** What was decided about an event that failed. */
    void failed(LaneEvent item, Outcome.Failure failure, Verdict verdict) {
        if (verdict instanceof Verdict.Again) {
            rows.takeBackCount(item, failure);
        } else if (verdict instanceof Verdict.WaitsUncounted uncounted) {
            waitsUncounted(item, failure, uncounted.delay());
        } else if (verdict instanceof Verdict.Waits waits) {
            noteAttempt(item, failure);
            waits(item, failure, waits);
        } else if (verdict instanceof Verdict.Dead dead) {
            noteAttempt(item, failure);
            bury(item, failure, dead);
        }
    }

    private void waits(LaneEvent item, Outcome.Failure failure, Verdict.Waits waits) {
        int attempts = waits.attempts();
        Duration delay = waits.delay();
        put(item.waiting(attempts, delay, failure));
        blocksItsKey(item, delay);
        unwritten
                .changes()
                .afterCommit(
                        item.seq(),
                        () -> listener.retried(subscription.name(), item.event(), attempts, failure, delay));
    }

    private void blocksItsKey(LaneEvent item, Duration delay) {
        keys.change(item.key(), isWaiting(item) ? 0 : 1, 0, -RowsInHand.inKey(item));
        if (!item.isLive()) {
            rows.finish(item);
        }
        isSoonest(ticker.nanos() + delay.toNanos());
    }

    private static boolean isWaiting(LaneEvent item) {
        return item.state() == DeliveryState.WAITING;
    }

    /** It failed, and that did not count. If it is due at once, then behind all that are. */
    private void waitsUncounted(LaneEvent item, Outcome.Failure failure, Duration delay) {
        put(item.waiting(item.attemptsWithoutLast(), delay, failure));
        blocksItsKey(item, delay);
    }

    /** There is no room for more, or it is to be left to others: what was tried in vain waits by a row. */
    void makeRoomFor(LaneEvent tried, Outcome.Failure failure) {
        waitsUncounted(tried, failure, Duration.ZERO);
        tried.setAside();
    }

    /** Its attempts are used up, though nobody lived to see the last one fail. */
    void giveUp(LaneEvent item, Outcome.Failure assumed) {
        boolean holdsKey = !item.isReplay() && rule.holdsKeyWhenDead(item.key() != null);
        bury(item, assumed, new Verdict.Dead(item.attempts(), holdsKey));
        item.setAside();
    }

    /** It is given up on request, and its key goes on. */
    void letGo(LaneEvent item, Outcome.Failure reason) {
        bury(item, reason, new Verdict.Dead(item.attempts(), false));
        item.setAside();
    }

    /** A dead letter keeps all of it. */
    private void bury(LaneEvent item, Outcome.Failure failure, Verdict.Dead dead) {
        Replayed replay = item.replay();
        int holding = dead.holdsKey() ? 1 : 0;
        if (replay == null) {
            add(new LetterChange.Dead(item.seq(), dead.attempts(), failure, dead.holdsKey()));
        } else {
            failedAgain(item, replay, dead.attempts(), failure);
        }
        if (item.isLive()) {
            keys.change(item.key(), 0, holding, 0);
        } else {
            finish(item, holding);
        }
        if (replay == null || replay.deadLetterId() != null) {
            tellDead(item, failure, dead);
        }
    }

    private void tellDead(LaneEvent item, Outcome.Failure failure, Verdict.Dead dead) {
        boolean holds = dead.holdsKey() || item.holdsKey();
        unwritten
                .changes()
                .afterCommit(
                        item.seq(),
                        () -> listener.deadLettered(
                                subscription.name(), item.event(), dead.attempts(), failure, holds));
    }

    /** One that was delivered before is no dead letter: the replay tells of it. */
    private void failedAgain(LaneEvent item, Replayed replay, int attempts, Outcome.Failure failure) {
        unwritten.changes().items.add(new ItemChange.Failed(replay.replayId(), item.seq(), failure));
        if (replay.deadLetterId() != null) {
            add(new LetterChange.Returned(item.seq(), attempts, failure));
        }
    }

    private void finish(LaneEvent item, int holding) {
        boolean hasRow = item.state() != DeliveryState.REPLAYED;
        if (hasRow) {
            unwritten.changes().removeRow(item.seq());
        }
        if (hasRow || holding != 0) {
            keys.change(item.key(), isWaiting(item) ? -1 : 0, holding, -RowsInHand.inKey(item));
        }
        rows.finish(item);
    }

    /** Before an event that may end the process is sent, the attempt is written down. Returns what is to be sent then. */
    LaneEvent countBeforeSending(LaneEvent item, int attempt, Outcome.Failure assumed) {
        LaneEvent counted = item.counted(attempt);
        Duration delay = rule.delay(counted.attempts(), assumed, random);
        put(item.unanswered(counted.attempts(), delay, assumed));
        keys.change(item.key(), isWaiting(item) ? 0 : 1, 0, 1 - RowsInHand.inKey(item));
        rows.takeCounted(counted);
        item.setAside();
        return counted;
    }

    private void noteAttempt(LaneEvent item, Outcome outcome) {
        long ago = ticker.nanos() - item.sentAt();
        unwritten.changes().attempts.add(new AttemptRecord(item.seq(), item.answeredAttempt(), ago, ago, outcome));
    }
}
