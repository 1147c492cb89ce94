package dev.posthorn.relay;

import static java.util.stream.Collectors.toSet;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Guard;
import dev.posthorn.log.Guards;
import dev.posthorn.sink.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What does not go well in a lane: which events have to wait, for how long and behind what, and which are given up. It
 * decides and takes note; the next settle writes it, together with the mark. Rows are loaded only when it is their time
 * and only while nothing waits to be written, so that they are the truth.
 */
final class Troubles {

    /** How many held events of a key are loaded at a time. */
    private static final int PAGE = 200;

    /** Of how many keys at a time. */
    private static final int KEYS = 500;

    /** What becomes of an event that failed. */
    enum Verdict {
        /** It has a row or a dead letter now. */
        SET_ASIDE,
        /** It stays what it was, and is sent again. */
        AGAIN
    }

    private final Subscription subscription;
    private final LaneStore store;
    private final RelayListener listener;
    private final Ticker ticker;
    private final RandomGenerator random;
    private final Guards guards;
    private final BlockedKeys keys;

    /** Rows in the lane's hands. */
    private final Map<Long, Tracked> loaded = new LinkedHashMap<>();

    private Changes changes;

    /** When the next row is due, as far as this owner wrote it since it was last asked. */
    private long soonest = Long.MAX_VALUE;

    /** Delivered by their rows before they were read; null once no such event can be read any more. */
    private @Nullable Set<Long> deliveredUnread = new HashSet<>();

    /** No event beyond this seq has a row or a dead letter that this owner does not know of. */
    private long knownBelow;

    Troubles(StoredLane stored, Subscription subscription, LanePorts ports) {
        this.subscription = subscription;
        this.store = ports.store();
        this.listener = ports.listener();
        this.ticker = ports.ticker();
        this.random = ports.random();
        this.guards = ports.guards();
        this.keys = new BlockedKeys(guards, subscription.blockedKeysLimit());
        this.knownBelow = stored.rowSeq();
        this.changes = noChanges();
    }

    /** What has to be known before anything is read. */
    void restore(LaneStore.Blocked blocked) {
        keys.restore(blocked);
    }

    /** To be called before anything of these keys comes into the lane's hands: some may be known to the store alone. */
    void know(Stream<@Nullable String> some) {
        Set<String> unknown = keys.unknown(some);
        if (!unknown.isEmpty()) {
            keys.found(store.blocked(unknown));
        }
    }

    private void know(@Nullable String key) {
        know(Stream.ofNullable(key));
    }

    /** After a commit: leaves blocked keys to the store, if there are too many to be kept in mind. */
    void forgetKeys(Iterable<Tracked> unsettled) {
        if (keys.areTooMany()) {
            Set<@Nullable String> inHand = new HashSet<>();
            unsettled.forEach(item -> inHand.add(item.key()));
            loaded.values().forEach(item -> inHand.add(item.key()));
            keys.leaveToStore(inHand);
        }
    }

    /** Which of the events just read have a row or a dead letter already. */
    Set<Long> known(List<RecordedEvent> events) {
        List<Long> candidates = events.stream()
                .map(RecordedEvent::seq)
                .filter(seq -> seq <= knownBelow)
                .toList();
        if (candidates.isEmpty()) {
            return Set.of();
        }
        Set<Long> known = new HashSet<>(store.known(candidates));
        if (deliveredUnread != null) {
            candidates.stream().filter(deliveredUnread::contains).forEach(known::add);
        }
        return known;
    }

    /** Whatever former owners had read was read again. */
    void caughtUp() {
        deliveredUnread = null;
    }

    boolean isBlocked(Tracked item) {
        return isOrdered(item) && keys.contains(item.key()) && guards.hold(Guard.BLOCKED_KEYS);
    }

    private boolean isOrdered(Tracked item) {
        return item.key() != null && subscription.ordering() == Ordering.KEY;
    }

    /** It was held behind nothing when it was loaded, and is again behind something. */
    boolean isHeldAgain(Tracked item) {
        return item.state() == DeliveryState.HELD && keys.holdsBack(item.key());
    }

    int blockedKeys() {
        return keys.size();
    }

    /** It waits behind an earlier event of its key. */
    void hold(Tracked item) {
        changes.put(RowChange.held(item));
        if (!item.isLive()) {
            unload(item);
        }
        item.setAside();
    }

    /** It was not sent and will not be by this owner: the mark can pass it, to what was delivered behind it. */
    void leaveBehind(Tracked item) {
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
    void leaveToTheNext(Tracked item) {
        leaveBehind(item);
        keys.change(isOrdered(item) ? item.key() : null, 0, 0, 0);
    }

    /** It waits until its time has come; its key does not wait for it. */
    void defer(Tracked item, Instant until) {
        changes.put(RowChange.deferred(item.event(), item.attempts(), until));
        item.setAside();
    }

    void defer(DeliveryRow row, Instant until) {
        changes.put(RowChange.deferred(row.event(), row.attempts(), until));
        if (row.state() == DeliveryState.WAITING) {
            know(row.event().event().key());
            keys.change(row.event().event().key(), -1, 0, 0);
        }
    }

    void release(Letter letter) {
        know(letter.key());
        changes.letters.add(new LetterChange.Released(letter.seq()));
        keys.change(letter.key(), 0, letter.holdsKey() ? -1 : 0, 0);
    }

    void discard(Letter letter, String by, String reason) {
        know(letter.key());
        changes.letters.add(new LetterChange.Discarded(letter.seq(), by, reason));
        keys.change(letter.key(), 0, letter.holdsKey() ? -1 : 0, 0);
    }

    void answer(Command command, String text) {
        changes.answers.put(command.id(), text);
    }

    /** It has arrived. */
    void delivered(Tracked item) {
        boolean live = item.isLive();
        if (!live || subscription.keepAttempts() == KeepAttempts.ALL) {
            noteAttempt(item, Outcome.DELIVERED);
        }
        if (!live) {
            if (deliveredUnread != null) {
                deliveredUnread.add(item.seq());
            }
            changes.arrived.add(item);
            deliveredAgain(item);
            finish(item, item.holdsKey() ? -1 : 0);
        }
    }

    private void deliveredAgain(Tracked item) {
        Replayed replay = item.replay();
        if (replay != null) {
            changes.items.add(new ItemChange.Delivered(replay.replayId(), item.seq()));
            if (replay.deadLetterId() != null) {
                changes.letters.add(new LetterChange.Removed(item.seq()));
            }
        }
    }

    /** It cannot be sent again. */
    void skip(ReplayOrder replay, ReplayItem item) {
        changes.items.add(new ItemChange.Skipped(replay.id(), item.seq(), Objects.requireNonNull(item.skipped())));
    }

    /**
     * @param late whether the breaker had opened since, so that this says nothing new about the receiver
     * @param denied whether the receiver refuses everything, so that this says nothing about the event
     * @param alone whether events go one at a time: then what failed waits, or it would come before all others for ever
     */
    Verdict failed(Tracked item, Outcome.Failure failure, boolean late, boolean denied, boolean alone) {
        if (!counts(item, failure, late, denied)) {
            if (denied && !item.isLive() && !item.isReplay() && item.isDue()) {
                waitsUncounted(item, failure, alone ? delay(item.answeredAttempt(), failure) : Duration.ZERO);
                return Verdict.SET_ASIDE;
            }
            takeBackCount(item, failure);
            return Verdict.AGAIN;
        }
        int attempts = item.answeredAttempt();
        boolean isDead = failure instanceof Outcome.Reject
                || item.isReplay()
                || subscription.retry().isExhausted(attempts);
        boolean holdsKey = isDead && !item.isReplay() && holdsKeyWhenDead(item);
        noteAttempt(item, failure);
        if (isDead) {
            bury(item, attempts, failure, holdsKey);
        } else {
            waits(item, attempts, failure);
        }
        return Verdict.SET_ASIDE;
    }

    /** An outage says nothing about an event, and a probe before its time is not the event's own attempt. */
    private boolean counts(Tracked item, Outcome.Failure failure, boolean late, boolean denied) {
        if (failure instanceof Outcome.Reject) {
            return true;
        }
        boolean mayCount = denied ? item.purpose() == Purpose.PROBE : item.purpose() != Purpose.TRIAL;
        if (failure instanceof Outcome.Gone || !mayCount) {
            return false;
        }
        boolean outage = failure instanceof Outcome.Unavailable;
        return item.isDue() && !(outage && (late || subscription.whenUnavailable() == WhenUnavailable.WAIT));
    }

    private void takeBackCount(Tracked item, Outcome.Failure failure) {
        if (item.isCounted()) {
            changes.put(RowChange.waiting(item, item.attemptsWithoutLast(), Duration.ZERO, failure));
            item.takeBackCount();
        }
    }

    private void waits(Tracked item, int attempts, Outcome.Failure failure) {
        Duration delay = delay(attempts, failure);
        changes.put(RowChange.waiting(item, attempts, delay, failure));
        blocksItsKey(item, delay);
        changes.afterCommit(
                item.seq(), () -> listener.retried(subscription.name(), item.event(), attempts, failure, delay));
    }

    private Duration delay(int attempts, Outcome.Failure failure) {
        return subscription.retry().delay(attempts, failure, random);
    }

    private void blocksItsKey(Tracked item, Duration delay) {
        int more = item.state() == DeliveryState.WAITING ? 0 : 1;
        keys.change(item.key(), more, 0, -loadedInKey(item));
        if (!item.isLive()) {
            unload(item);
        }
        soonest = Math.min(soonest, ticker.nanos() + delay.toNanos());
    }

    /** It failed, and that did not count. If it is due at once, then behind all that are. */
    private void waitsUncounted(Tracked item, Outcome.Failure failure, Duration delay) {
        changes.put(RowChange.waiting(item, item.attemptsWithoutLast(), delay, failure));
        blocksItsKey(item, delay);
    }

    /** There is no room for more, or it is to be left to others: what was tried in vain waits by a row. */
    void makeRoomFor(Tracked tried, Outcome.Failure failure) {
        waitsUncounted(tried, failure, Duration.ZERO);
        tried.setAside();
    }

    private boolean holdsKeyWhenDead(Tracked item) {
        return item.key() != null && subscription.afterDeadLetter() == AfterDeadLetter.HOLD;
    }

    /** Its attempts are used up, though nobody lived to see the last one fail. */
    void giveUp(Tracked item, Outcome.Failure assumed) {
        bury(item, item.attempts(), assumed, !item.isReplay() && holdsKeyWhenDead(item));
        item.setAside();
    }

    /** It is given up on request, and its key goes on. */
    void letGo(Tracked item, Outcome.Failure reason) {
        bury(item, item.attempts(), reason, false);
        item.setAside();
    }

    /** A dead letter keeps all of it. */
    private void bury(Tracked item, int attempts, Outcome.Failure failure, boolean holdsKey) {
        Replayed replay = item.replay();
        if (replay == null) {
            changes.letters.add(new LetterChange.Dead(item.seq(), attempts, failure, holdsKey));
        } else {
            failedAgain(item, replay, attempts, failure);
        }
        if (item.isLive()) {
            keys.change(item.key(), 0, holdsKey ? 1 : 0, 0);
        } else {
            finish(item, holdsKey ? 1 : 0);
        }
        if (replay == null || replay.deadLetterId() != null) {
            boolean holds = holdsKey || item.holdsKey();
            changes.afterCommit(
                    item.seq(),
                    () -> listener.deadLettered(subscription.name(), item.event(), attempts, failure, holds));
        }
    }

    /** One that was delivered before is no dead letter: the replay tells of it. */
    private void failedAgain(Tracked item, Replayed replay, int attempts, Outcome.Failure failure) {
        changes.items.add(new ItemChange.Failed(replay.replayId(), item.seq(), failure));
        if (replay.deadLetterId() != null) {
            changes.letters.add(new LetterChange.Returned(item.seq(), attempts, failure));
        }
    }

    /** Before an event that may end the process is sent, the attempt is written down. Returns what is to be sent then. */
    Tracked countBeforeSending(Tracked item, int attempt, Outcome.Failure assumed) {
        Tracked counted = item.counted(attempt);
        Duration delay = delay(counted.attempts(), assumed);
        changes.put(RowChange.unanswered(item, counted.attempts(), delay, assumed));
        int more = item.state() == DeliveryState.WAITING ? 0 : 1;
        keys.change(item.key(), more, 0, 1 - loadedInKey(item));
        loaded.put(counted.seq(), counted);
        item.setAside();
        return counted;
    }

    boolean isExhausted(Tracked item) {
        if (item.isLive() || item.isCounted()) {
            return false;
        }
        return item.isReplay() ? item.isSuspect() : subscription.retry().isExhausted(item.attempts());
    }

    private void finish(Tracked item, int holding) {
        if (item.state() != DeliveryState.REPLAYED) {
            changes.removeRow(item.seq());
        }
        if (item.state() != DeliveryState.REPLAYED || holding != 0) {
            keys.change(item.key(), item.state() == DeliveryState.WAITING ? -1 : 0, holding, -loadedInKey(item));
        }
        unload(item);
    }

    /** A deferred event is no part of its key's order before it is sent, and one that is replayed never is. */
    private static int loadedInKey(Tracked item) {
        boolean apart = item.state() == DeliveryState.DEFERRED || item.state() == DeliveryState.REPLAYED;
        return item.isLive() || apart ? 0 : 1;
    }

    private void unload(Tracked item) {
        loaded.remove(item.seq());
        changes.freePlace();
    }

    /** The row leaves the lane's hands without an outcome: it is as it was. False if it has left them before. */
    boolean forget(Tracked item) {
        boolean wasLoaded = loaded.remove(item.seq(), item);
        if (wasLoaded) {
            takeBackCount(item, new Outcome.Unavailable("not handed to the sink, or its answer was not waited for"));
        }
        if (wasLoaded && loadedInKey(item) > 0) {
            keys.change(item.key(), 0, 0, -1);
        }
        return wasLoaded;
    }

    boolean isLoaded(long seq) {
        return loaded.containsKey(seq);
    }

    int loaded() {
        return loaded.size();
    }

    private void noteAttempt(Tracked item, Outcome outcome) {
        long ago = ticker.nanos() - item.sentAt();
        changes.attempts.add(new AttemptRecord(item.seq(), item.answeredAttempt(), ago, ago, outcome));
    }

    /** The rows whose time has come. */
    List<Tracked> due(int limit) {
        return load(store.due(limit + loaded.size()), limit);
    }

    /** The row that counts its attempts while the receiver refuses everything, if it is due and may. */
    @Nullable
    Tracked oldest(LongPredicate mayCount) {
        DeliveryRow oldest = store.oldest();
        return oldest == null || !oldest.due() || loaded.containsKey(oldest.seq()) || !mayCount.test(oldest.seq())
                ? null
                : load(oldest);
    }

    /** What to probe with: what is due, or else what is due next, or else what is held behind nothing any more. */
    @Nullable
    Tracked probe() {
        List<Tracked> due = due(1);
        if (!due.isEmpty()) {
            return due.get(0);
        }
        DeliveryRow earliest = store.earliest();
        if (earliest != null) {
            return loaded.containsKey(earliest.seq()) ? null : load(earliest);
        }
        List<Tracked> released = release(1);
        return released.isEmpty() ? null : released.get(0);
    }

    /** After a commit: the first held events of keys that wait for nothing else; keys that have none go on. */
    List<Tracked> release(int limit) {
        List<String> clear = keys.clear(KEYS);
        if (clear.isEmpty()) {
            return List.of();
        }
        List<DeliveryRow> rows = store.held(clear, Math.max(1, Math.min(PAGE, limit / clear.size())));
        Set<@Nullable String> held =
                rows.stream().map(row -> row.event().event().key()).collect(toSet());
        clear.stream().filter(key -> !held.contains(key)).forEach(keys::unblock);
        return load(rows, limit);
    }

    /** Whether a key waits for nothing but the next commit. */
    boolean isReleaseDue() {
        return keys.anyClear();
    }

    private List<Tracked> load(Collection<DeliveryRow> rows, int limit) {
        List<DeliveryRow> next = rows.stream()
                .filter(row -> !loaded.containsKey(row.seq()))
                .limit(limit)
                .toList();
        know(next.stream().map(row -> row.event().event().key()));
        return next.stream().map(this::take).toList();
    }

    /** It is in the lane's hands from now on. */
    Tracked load(DeliveryRow row) {
        know(row.event().event().key());
        return take(row);
    }

    private Tracked take(DeliveryRow row) {
        Tracked item = Tracked.of(row);
        loaded.put(item.seq(), item);
        if (loadedInKey(item) > 0) {
            keys.change(item.key(), 0, 0, 1);
        }
        return item;
    }

    /** What has arrived, though its row says nothing of it yet. */
    void keepArrived(SentBefore kept) {
        changes.arrived.forEach(kept::keepRow);
    }

    /** Whether its row is not written yet as it is to be. */
    boolean isToBeWritten(Tracked item) {
        return changes.rows.containsKey(item.seq());
    }

    boolean hasChanges() {
        return !changes.isEmpty();
    }

    /** How many rows were finished since the last settle. */
    int unwrittenRows() {
        return changes.places();
    }

    long takeSoonest() {
        long next = soonest;
        soonest = Long.MAX_VALUE;
        return next;
    }

    int changes() {
        return changes.size();
    }

    /** What is to be written; from here on new changes are collected. */
    Changes takeChanges() {
        Changes taken = changes;
        changes = noChanges();
        return taken;
    }

    private Changes noChanges() {
        return new Changes(subscription.afterDeadLetter() == AfterDeadLetter.HOLD);
    }
}
