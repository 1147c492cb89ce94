package dev.posthorn.relay.lane;

import dev.posthorn.subscription.Subscription;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What waits to be sent: first in order, or behind another of its key, then ready because its turn has come. Whatever of
 * it is a row and cannot wait here any longer is put down.
 */
final class Backlog {

    private final InFlight sent;
    private final RowsInHand rows;
    private final KeyTurns turns;
    private final ToSend toSend;
    private final ReplayLine replays = new ReplayLine();
    private final ArrayDeque<LaneEvent> ready = new ArrayDeque<>(1);

    /** The keys of live events on their way, as of this pass; null if nobody has asked. */
    private @Nullable Set<String> keysOnTheirWay;

    Backlog(Subscription subscription, InFlight sent, RowsInHand rows) {
        this.sent = sent;
        this.rows = rows;
        this.turns = new KeyTurns(subscription);
        this.toSend = new ToSend(subscription);
        sent.items().forEach(turns::take);
    }

    ToSend toSend() {
        return toSend;
    }

    /** To be sent again, when nothing else is to be sent. */
    ReplayLine replays() {
        return replays;
    }

    boolean hasUnsent() {
        return !toSend.isEmpty() || hasUntried();
    }

    /** Whether there is anything but what was just tried in vain. */
    boolean hasUntried() {
        return !ready.isEmpty() || toSend.hasUntried() || !replays.isEmpty();
    }

    /** How many events could go now, as far as their turns say; counts no further than asked. */
    int couldGo(int most) {
        Set<String> keys = new HashSet<>();
        long waiting = Stream.concat(toSend.stream(), replays.stream())
                .filter(item -> !item.isSetAside() && (item.key() == null || isNextOfItsKey(item, keys)))
                .limit(Math.max(0, most - ready.size()))
                .count();
        return Math.min(most, ready.size() + (int) waiting);
    }

    private boolean isNextOfItsKey(LaneEvent item, Set<String> keys) {
        return !turns.areNeeded() || (turns.isFree(item) && keys.add(Objects.requireNonNull(item.key())));
    }

    // ---- turns

    /** Whether the event may be sent at once; if not, it is remembered behind the others of its key. */
    boolean takesTurn(LaneEvent item) {
        return turns.take(item);
    }

    boolean isItsTurn(LaneEvent item) {
        return turns.isFree(item);
    }

    /** The event has arrived: the next of its key may go. */
    void passTurn(LaneEvent delivered) {
        LaneEvent next = turns.next(delivered);
        while (next != null && next.isSetAside()) {
            next = turns.next(delivered);
        }
        if (next != null) {
            ready.add(next);
        }
    }

    /** It is not sent now: whoever is behind it waits in the queue again, or is put down. */
    void giveBackTurn(LaneEvent item) {
        unstall();
        List<LaneEvent> behind = new ArrayList<>(turns.end(item));
        for (int i = behind.size() - 1; i >= 0; i--) {
            LaneEvent next = behind.get(i);
            if (next.isLive()) {
                toSend.addFirst(next);
            } else {
                rows.putDown(next);
            }
        }
    }

    /** The event was taken to be sent and was not. */
    void putBack(LaneEvent event) {
        giveBackTurn(event);
        if (event.isLive()) {
            toSend.addFirst(event);
        } else {
            putDown(event);
        }
    }

    /** The row is put down, and so are those that were loaded behind it: they must not pass it. */
    void putDown(LaneEvent row) {
        rows.putDown(row);
        String key = row.key();
        if (key != null) {
            toSend.takeRows(key).forEach(rows::putDown);
            if (row.isReplay()) {
                replays.takeKey(key).forEach(rows::putDown);
            }
        }
    }

    /** What waits to be sent again because it failed is put down. */
    void putDownRetries() {
        toSend.takeRetries().forEach(rows::putDown);
    }

    /** What was sent is sent anew, these and no others; rows are put down, those among what was taken by the sink too. */
    void beginAnew(Collection<LaneEvent> again, Collection<LaneEvent> taken) {
        Set<LaneEvent> unfinished = new LinkedHashSet<>();
        for (Collection<LaneEvent> some : List.of(taken, ready, toSend.stream().toList(), turns.all())) {
            some.stream().filter(item -> !item.isLive() && !item.isDone()).forEach(unfinished::add);
        }
        ready.clear();
        replays.takeAll().forEach(rows::putDown);
        turns.clear();
        toSend.replaceBy(again);
        unfinished.forEach(rows::putDown);
    }

    // ---- ready

    /** The next event whose turn has come; one that was set aside meanwhile passes it on. */
    @Nullable
    LaneEvent pollReady() {
        LaneEvent next = ready.poll();
        while (next != null && next.isSetAside()) {
            giveBackTurn(next);
            next = ready.poll();
        }
        return next;
    }

    /** The last of those whose turn has come. */
    @Nullable
    LaneEvent pollLastReady() {
        return ready.pollLast();
    }

    /** It was taken from there and cannot go yet. */
    void backToReady(LaneEvent next) {
        ready.addFirst(next);
    }

    /** The event that was tried in vain longest ago, of those whose turn it is. */
    @Nullable
    LaneEvent pollTried() {
        return toSend.pollTried(turns);
    }

    // ---- stalling

    /**
     * Whether an earlier event of its key was sent or waits for its turn; then it is looked at again in the next pass.
     * Held now, it would be in front of that one if that one fails and is held too.
     */
    boolean waitsForEarlier(LaneEvent item) {
        if (!item.isLive()) {
            return false;
        }
        if (keysOnTheirWay == null) {
            keysOnTheirWay = keysOnTheirWay();
        }
        boolean waits = keysOnTheirWay.contains(item.key());
        if (waits) {
            toSend.stall(item);
        }
        return waits;
    }

    private Set<String> keysOnTheirWay() {
        Set<String> keys = new HashSet<>();
        sent.items().forEach(each -> addKey(keys, each));
        ready.forEach(each -> addKey(keys, each));
        turns.all().forEach(each -> addKey(keys, each));
        return keys;
    }

    private static void addKey(Set<String> keys, LaneEvent item) {
        if (item.isLive() && !item.isDone() && item.key() != null) {
            keys.add(item.key());
        }
    }

    /** What waited for an earlier one of its key is looked at again. */
    void unstall() {
        keysOnTheirWay = null;
        toSend.unstall();
    }
}
