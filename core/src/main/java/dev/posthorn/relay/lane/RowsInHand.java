package dev.posthorn.relay.lane;

import static java.util.stream.Collectors.toSet;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.relay.budget.InFlightPlaces;
import dev.posthorn.relay.lane.trouble.BlockedKeys;
import dev.posthorn.relay.store.DeliveryRow;
import dev.posthorn.relay.store.DeliveryState;
import dev.posthorn.relay.store.LaneStore;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The delivery rows that a lane has taken up, and the keys that its rows block. Rows are taken up only when it is their
 * time and only while nothing waits to be written, so that they are the truth. They are put down when they are finished,
 * or as they were, to be taken up again.
 */
final class RowsInHand {

    /** How many held events of a key are loaded at a time. */
    private static final int PAGE = 200;

    /** Of how many keys at a time. */
    private static final int KEYS = 500;

    private final LaneStore store;
    private final Unwritten unwritten;
    private final InFlightPlaces places;
    private final BlockedKeys keys;
    private final long knownBelow;
    private final Map<Long, LaneEvent> loaded = new LinkedHashMap<>();

    /** Delivered by their rows before they were read; null once no such event can be read any more. */
    private @Nullable Set<Long> deliveredUnread = new HashSet<>();

    /** Whether one was put down as it was, so that it can be taken up again. */
    private boolean anyPutDown;

    /** Of those, the items of replays: their replay has to load them anew. */
    private final List<LaneEvent> itemsPutDown = new ArrayList<>(0);

    /** @param knownBelow no event beyond this seq has a row or a dead letter that this owner does not know of */
    RowsInHand(
            Subscription subscription, LaneStore store, InFlightPlaces places, Unwritten unwritten, long knownBelow) {
        this.store = store;
        this.unwritten = unwritten;
        this.places = places;
        this.keys = new BlockedKeys(subscription.blockedKeysLimit());
        this.knownBelow = knownBelow;
    }

    // ---- what is known

    /** What has to be known before anything is read. */
    void restore(LaneStore.Blocked blocked) {
        keys.restore(blocked);
    }

    BlockedKeys keys() {
        return keys;
    }

    /** Beyond this seq no event has a row or a dead letter that this owner does not know of. */
    long knownBelow() {
        return knownBelow;
    }

    /** To be called before anything of these keys comes into the lane's hands: some may be known to the store alone. */
    void know(Stream<@Nullable String> some) {
        Set<String> unknown = keys.unknown(some);
        if (!unknown.isEmpty()) {
            keys.found(store.blocked(unknown));
        }
    }

    void know(@Nullable String key) {
        know(Stream.ofNullable(key));
    }

    /** After a commit: leaves blocked keys to the store, if there are too many to be kept in mind. */
    void forgetKeys(Iterable<LaneEvent> unsettled) {
        if (keys.areTooMany()) {
            Set<@Nullable String> inHand = new HashSet<>();
            unsettled.forEach(item -> inHand.add(item.key()));
            loaded.values().forEach(item -> inHand.add(item.key()));
            keys.leaveToStore(inHand);
        }
    }

    /** Which of the events just read have a row or a dead letter already. */
    Set<Long> known(List<RecordedEvent> events) {
        List<Long> candidates = new ArrayList<>();
        for (RecordedEvent event : events) {
            if (event.seq() <= knownBelow) {
                candidates.add(event.seq());
            }
        }
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

    /** It was held behind nothing when it was loaded, and is again behind something. */
    boolean isHeldAgain(LaneEvent item) {
        return item.state() == DeliveryState.HELD && keys.holdsBack(item.key());
    }

    // ---- taking up

    /** The rows whose time has come. */
    List<LaneEvent> due(int limit) {
        return load(store.due(limit + loaded.size()), limit);
    }

    /** The oldest of all, if it is due and not in the lane's hands. */
    @Nullable
    DeliveryRow oldestDue() {
        DeliveryRow oldest = store.oldest();
        return oldest == null || !oldest.due() || isLoaded(oldest.seq()) ? null : oldest;
    }

    /** What to probe with: what is due, or else what is due next, or else what is held behind nothing any more. */
    @Nullable
    LaneEvent probe() {
        List<LaneEvent> due = due(1);
        if (!due.isEmpty()) {
            return due.get(0);
        }
        DeliveryRow earliest = store.earliest();
        if (earliest != null) {
            return isLoaded(earliest.seq()) ? null : load(earliest);
        }
        List<LaneEvent> released = release(1);
        return released.isEmpty() ? null : released.get(0);
    }

    /** After a commit: the first held events of keys that wait for nothing else; keys that have none go on. */
    List<LaneEvent> release(int limit) {
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

    private List<LaneEvent> load(Collection<DeliveryRow> rows, int limit) {
        if (rows.isEmpty()) {
            return List.of();
        }
        List<DeliveryRow> next =
                rows.stream().filter(row -> !isLoaded(row.seq())).limit(limit).toList();
        know(next.stream().map(row -> row.event().event().key()));
        return next.stream().map(this::take).toList();
    }

    /** It is in the lane's hands from now on. */
    LaneEvent load(DeliveryRow row) {
        know(row.event().event().key());
        return take(row);
    }

    private LaneEvent take(DeliveryRow row) {
        LaneEvent item = LaneEvent.of(row);
        loaded.put(item.seq(), item);
        if (inKey(item) > 0) {
            keys.change(item.key(), 0, 0, 1);
        }
        return item;
    }

    /** The event's row is as it is to be with its next attempt counted. */
    void takeCounted(LaneEvent counted) {
        loaded.put(counted.seq(), counted);
    }

    /** A deferred event is no part of its key's order before it is sent, and one that is replayed never is. */
    static int inKey(LaneEvent item) {
        boolean apart = item.state() == DeliveryState.DEFERRED || item.state() == DeliveryState.REPLAYED;
        return item.isLive() || apart ? 0 : 1;
    }

    boolean isLoaded(long seq) {
        return loaded.containsKey(seq);
    }

    int count() {
        return loaded.size();
    }

    // ---- putting down

    /** It has arrived by its row. */
    void arrived(LaneEvent item) {
        if (deliveredUnread != null) {
            deliveredUnread.add(item.seq());
        }
        unwritten.arrived(item);
    }

    /** What is to be written says what has become of it; its place is free with the commit. */
    void finish(LaneEvent item) {
        loaded.remove(item.seq());
        unwritten.changes().freePlace();
    }

    /** It leaves the lane's hands without an outcome, as it was. Does nothing if it has left them before. */
    void putDown(LaneEvent item) {
        if (!loaded.remove(item.seq(), item)) {
            return;
        }
        takeBackCount(item, new Outcome.Unavailable("not handed to the sink, or its answer was not waited for"));
        if (inKey(item) > 0) {
            keys.change(item.key(), 0, 0, -1);
        }
        places.giveBack(1);
        anyPutDown = true;
        if (item.isReplay()) {
            itemsPutDown.add(item);
        }
    }

    void takeBackCount(LaneEvent item, Outcome.Failure failure) {
        if (item.isCounted()) {
            unwritten.changes().put(item.waiting(item.attemptsWithoutLast(), Duration.ZERO, failure));
            item.takeBackCount();
        }
    }

    /** Whether rows were put down since this was asked last, so that some may be due. */
    boolean wereAnyPutDown() {
        boolean any = anyPutDown;
        anyPutDown = false;
        return any;
    }

    /** The items of replays that were put down since this was asked last. */
    List<LaneEvent> takeItemsPutDown() {
        List<LaneEvent> taken = List.copyOf(itemsPutDown);
        itemsPutDown.clear();
        return taken;
    }
}
