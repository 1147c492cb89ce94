package dev.posthorn.simulation;

import dev.posthorn.event.Marks;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Mark;
import dev.posthorn.relay.lane.Lane;
import dev.posthorn.relay.store.Changes;
import dev.posthorn.relay.store.DeliveryState;
import dev.posthorn.relay.store.ItemChange;
import dev.posthorn.relay.store.LetterChange;
import dev.posthorn.relay.store.ReplayOrder;
import dev.posthorn.relay.store.RowChange;
import dev.posthorn.relay.store.Settlement;
import dev.posthorn.simulation.Fate.Known;
import dev.posthorn.simulation.SimulatedInstance.Owner;
import dev.posthorn.simulation.Tables.EventRow;
import dev.posthorn.simulation.Tables.ItemRow;
import dev.posthorn.simulation.Tables.LaneRow;
import dev.posthorn.simulation.Tables.ReplayRow;
import dev.posthorn.simulation.Tables.SessionRow;
import dev.posthorn.simulation.Tables.SubscriptionRow;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.subscription.Subscription;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Everything that happened, and what may never happen. Told of each send, arrival, answer and settle as it happens. */
final class History {

    private final World world;
    private final ModelDatabase database;
    private final Scenario scenario;

    /** By subscription and seq. */
    private final List<Map<Long, Fate>> fates = new ArrayList<>();

    private final List<@Nullable Past> pasts = new ArrayList<>();
    private final List<List<Long>> firstArrivals = new ArrayList<>();
    private final Map<Owner, Map<Long, Receiver.Shipment>> unsettled = new LinkedHashMap<>();
    private final Set<Turn> settles = new HashSet<>();
    private final Map<Receiver.Shipment, Outcome> answers = new HashMap<>();

    private record Turn(long lane, long turn) {}

    /** Those whose sender has certainly heard that they were delivered. */
    private final Set<Receiver.Shipment> heard = new HashSet<>();

    /** The place of each committed event among those of its key. */
    private final Map<Long, Integer> places = new HashMap<>();

    /** What was sent before the connection was lost: whoever sent it keeps it in mind beside what it sends from then on. */
    private final Set<Receiver.Shipment> carried = new HashSet<>();

    /** Those of whom a settle was done late: what it wrote they know only when they begin anew. */
    private final Set<Owner> surprised = new HashSet<>();

    private final ReplayHistory replays;
    private int committed;

    History(World world, ModelDatabase database, Scenario scenario) {
        this.world = world;
        this.database = database;
        this.scenario = scenario;
        this.replays = new ReplayHistory(world, database);
        for (int i = 0; i < scenario.subscriptions.size(); i++) {
            fates.add(new HashMap<>());
            pasts.add(null);
            firstArrivals.add(new ArrayList<>());
        }
    }

    // ---- the log

    void committed(List<EventRow> rows) {
        rows.forEach(row -> places.put(row.seq(), committed++));
    }

    /** A crash has undone these commits. What was sent of them was sent, but nobody is owed it any more. */
    void lost(List<EventRow> rows) {
        for (EventRow row : rows) {
            places.remove(row.seq());
            fates.forEach(each -> each.remove(row.seq()));
            firstArrivals.forEach(each -> each.remove(row.seq()));
        }
        unsettled.values().forEach(each -> each.values().removeIf(shipment -> !isThere(shipment.event)));
        pasts.stream().filter(Objects::nonNull).forEach(past -> past.forget(rows));
    }

    /** A stand-by falls behind: what is known of every event now may be all that is known later. */
    void remember() {
        fates.forEach(each -> each.values().forEach(Fate::remember));
    }

    /** What was settled since then never was. */
    void failedOver() {
        fates.forEach(each -> each.values().forEach(Fate::goBack));
        settles.clear();
    }

    /** Whether the event is in the log, and not another one under its number. */
    private boolean isThere(RecordedEvent event) {
        EventRow row = database.log.get(event.seq());
        return row != null && row.recorded.event().id().equals(event.event().id());
    }

    void noteGenerations() {
        for (int i = 0; i < scenario.subscriptions.size(); i++) {
            SubscriptionRow row = database.find(scenario.subscriptions.get(i).name);
            if (row != null && pasts.get(i) == null) {
                pasts.set(i, new Past(database, row, scenario.subscriptions.get(i).since < 0));
            } else if (row != null && past(i).look()) {
                // Its new lanes know of no take-over.
                fates.get(i).values().forEach(fate -> fate.forgiven += fate.kills > 0 ? 1 : 0);
            }
        }
    }

    Past past(int index) {
        return Objects.requireNonNull(pasts.get(index));
    }

    Fate fate(int index, long seq) {
        Fate fate = fates.get(index).get(seq);
        if (fate == null) {
            EventRow event = database.log.get(seq);
            if (event == null) {
                throw new Simulation.BrokenPromise("event " + seq + " is not committed");
            }
            fate = new Fate(event);
            fates.get(index).put(seq, fate);
        }
        return fate;
    }

    void looks(Owner owner) {
        replays.looks(owner);
    }

    void looked(Owner owner, List<ReplayOrder> running) {
        replays.looked(owner, running.stream().map(ReplayOrder::id).collect(Collectors.toSet()));
    }

    void started(ReplayRow replay) {
        replays.started(replay);
        for (ItemRow item : replay.items) {
            fate(index(database.subscription(item.subscriptionId).name), item.seq()).replays++;
        }
    }

    /** Whether the event was delivered to the subscription, so far as is settled. */
    boolean isDelivered(SubscriptionRow subscription, EventRow event) {
        return fate(index(subscription.name), event.seq()).known == Known.DELIVERED;
    }

    ReplayHistory replays() {
        return replays;
    }

    void askedToDefer(SubscriptionRow subscription, EventRow event) {
        fate(index(subscription.name), event.seq()).deferred = true;
    }

    private int index(LaneRow lane) {
        return index(database.subscription(lane.subscriptionId).name);
    }

    private int index(String name) {
        for (int i = 0; i < scenario.subscriptions.size(); i++) {
            if (scenario.subscriptions.get(i).name.equals(name)) {
                return i;
            }
        }
        throw new IllegalStateException(name);
    }

    private LaneRow lane(Owner owner) {
        return Objects.requireNonNull(database.lanes.get(owner.laneId()));
    }

    // ---- sending

    void sent(int index, Receiver.Shipment shipment) {
        Owner owner = shipment.wire.owner;
        long seq = shipment.event.seq();
        require(isThere(shipment.event), owner, () -> "sends an event that is not committed: " + seq);
        Fate fate = fate(index, seq);
        require(past(index).isWanted(fate.event), owner, () -> "sends an event that is not wanted: " + seq);
        checkOwnership(index, owner, seq);
        boolean stale = isStale(owner);
        long replay = replay(shipment);
        if (replay == 0) {
            require(
                    stale || surprised.contains(owner) || !fate.isEnded(),
                    owner,
                    () -> "sends event " + seq + " again, which is " + fate.known);
        } else if (!stale) {
            require(fate.known != Known.DISCARDED, owner, () -> "sends event " + seq + " again, which was discarded");
            replays.sent(owner, replay, seq, fate.event.key());
        }
        require(
                !fate.heard.contains(new Fate.Sender(owner, replay)),
                owner,
                () -> "sends event " + seq + " again, though it has heard that it was delivered");
        fate.sends++;
        checkRate(index, owner, seq);
        unsettled.computeIfAbsent(owner, o -> new LinkedHashMap<>()).put(seq, shipment);
        checkInFlight(index, owner);
    }

    /** The replay that it was sent for; 0 if for none. */
    private static long replay(Receiver.Shipment shipment) {
        String id = shipment.event.marks().get(Marks.REPLAY);
        return id == null ? 0 : Long.parseLong(id);
    }

    private boolean isStale(Owner owner) {
        LaneRow lane = lane(owner);
        return lane.ended || lane.epoch != owner.epoch();
    }

    private void checkRate(int index, Owner owner, long seq) {
        SubscriptionRow subscription = database.subscription(lane(owner).subscriptionId);
        subscription.sends++;
        boolean limited = scenario.subscriptions.get(index).ratePerSecond != Subscription.UNLIMITED;
        require(
                !limited || subscription.sends <= subscription.granted,
                owner,
                () -> "sends event " + seq + " without a token: " + subscription.granted + " were leased");
    }

    /** Steps are not interrupted here, so whoever minds its lease never sends as a former owner. */
    private void checkOwnership(int index, Owner owner, long seq) {
        if (scenario.wildClock) {
            return;
        }
        require(!isStale(owner), owner, () -> "sends event " + seq + ", but the lane has another owner");
        SessionRow session = database.session(lane(owner).session);
        require(session != null, owner, () -> "sends event " + seq + ", but its session has ended");
        long left = Objects.requireNonNull(session).expiresAt - database.micros();
        long timeout = scenario.subscriptions.get(index).timeout.toNanos() / 1000;
        require(left >= timeout, owner, () -> "sends event " + seq + " " + left + " µs before its lease ends");
        SubscriptionRow subscription = database.subscription(lane(owner).subscriptionId);
        require(!database.isQuiet(subscription), owner, () -> "sends event " + seq + ", though all had said to obey");
    }

    /** What was sent, may have arrived, and would be sent again by another if this instance ended now. */
    private void checkInFlight(int index, Owner owner) {
        int count = inFlight(index, owner.instance());
        int limit = scenario.subscriptions.get(index).inFlightLimit;
        require(count <= limit, owner, () -> count + " events are in flight, of " + limit);
    }

    private int inFlight(int index, SimulatedInstance instance) {
        int count = 0;
        for (Map.Entry<Owner, Map<Long, Receiver.Shipment>> each : unsettled.entrySet()) {
            if (each.getKey().instance() == instance && index(lane(each.getKey())) == index) {
                count += inDoubt(index, each.getValue().values(), shipment -> !carried.contains(shipment));
            }
        }
        return count;
    }

    private int inDoubt(int index, Collection<Receiver.Shipment> shipments, Predicate<Receiver.Shipment> which) {
        int count = 0;
        for (Receiver.Shipment shipment : shipments) {
            count += which.test(shipment) && isInDoubt(index, shipment) ? 1 : 0;
        }
        return count;
    }

    private boolean isInDoubt(int index, Receiver.Shipment shipment) {
        boolean waiting = !answers.containsKey(shipment)
                && !shipment.wire.isClosed()
                && world.nanos() - shipment.sentAt
                        <= scenario.subscriptions.get(index).timeout.toNanos();
        return waiting || heard.contains(shipment);
    }

    void arrived(int index, RecordedEvent event) {
        if (!isThere(event)) {
            return;
        }
        Fate fate = fate(index, event.seq());
        if (fate.arrivals++ == 0) {
            fate.arrivedAt = world.nanos();
            firstArrivals.get(index).add(event.seq());
        }
    }

    void answered(Receiver.Shipment shipment, Outcome outcome) {
        if (answers.putIfAbsent(shipment, outcome) != null || !(outcome instanceof Outcome.Delivered)) {
            return;
        }
        if (!isThere(shipment.event)) {
            return;
        }
        Owner owner = shipment.wire.owner;
        LaneRow lane = lane(owner);
        Fate fate = fate(index(lane), shipment.event.seq());
        Fate.Sender sender = new Fate.Sender(owner, replay(shipment));
        fate.acknowledged.add(sender);
        Scenario.Settings settings = scenario.subscriptions.get(index(lane));
        Map<Long, Receiver.Shipment> of = unsettled.get(owner);
        boolean isLast = of != null && of.get(shipment.event.seq()) == shipment;
        boolean inTime = settings.keepsOrder
                ? !shipment.wire.isClosed()
                : !shipment.wire.isClosed() && world.nanos() - shipment.sentAt <= settings.timeout.toNanos();
        if (isLast && inTime) {
            fate.heard.add(sender);
            heard.add(shipment);
        } else {
            fate.answeredLate = true;
        }
    }

    void killed(int index, RecordedEvent event) {
        Fate fate = fate(index, event.seq());
        int most = scenario.subscriptions.get(index).retry.maxAttempts();
        fate.kills++;
        if (most != RetryPolicy.UNLIMITED && !scenario.wildClock && fate.kills > mostKills(fate, most)) {
            throw new Simulation.BrokenPromise("event " + event.seq() + " has ended " + fate.kills
                    + " processes, though its attempts are limited to " + most);
        }
    }

    /**
     * An event can end one process per attempt; two more if it has a row, because only of a live event are the attempts
     * in a rush counted afterwards; and a few as a probe, which is not counted before it is sent. Whatever makes a lane
     * forget its take-overs gives two more, and so does a replay, which then is an attempt itself.
     */
    private static int mostKills(Fate fate, int maxAttempts) {
        return maxAttempts + 4 + 2 * fate.forgiven + 3 * fate.replays;
    }

    /** A settle that was given up is done after all. */
    void surprised(Owner owner) {
        surprised.add(owner);
    }

    /** The owner is told where its lane stands, whatever has been done by now. */
    void sees(Owner owner) {
        surprised.remove(owner);
    }

    /** The lane begins from where it stood in the database. */
    void began(Owner owner) {
        carried.addAll(unsettled.getOrDefault(owner, Map.of()).values());
    }

    // ---- settling

    void settled(Owner owner, ModelLaneStore.Before before, Settlement settlement) {
        LaneRow lane = lane(owner);
        int index = index(lane);
        world.trace(() -> "  " + owner + " settles " + settlement.turn() + ": " + settlement.mark() + ", rows "
                + settlement.changes().rows.keySet() + ", without " + settlement.changes().removedRows + ", letters "
                + settlement.changes().letters + ", items " + settlement.changes().items);
        require(before.epoch() == owner.epoch(), owner, () -> "settles a lane that has another owner");
        require(
                settles.add(new Turn(lane.id, settlement.turn())),
                owner,
                () -> "settles a second time: " + settlement.turn());
        Changes changes = settlement.changes();
        changes.rows.values().forEach(row -> take(index, owner, row));
        for (LetterChange letter : changes.letters) {
            take(index, letter);
        }
        changes.items.forEach(item -> take(index, owner, item));
        changes.removedRows.forEach(seq -> removed(index, owner, lane, seq, changes));
        review(index, owner, lane, before.mark());
        if (settlement.undisturbed()) {
            fates.get(index).values().stream()
                    .filter(fate -> fate.kills > 0 && fate.event.lane(lane.lanes) == lane.index)
                    .forEach(fate -> fate.forgiven++);
        }
        Map<Long, Receiver.Shipment> sent = unsettled.get(owner);
        if (sent != null) {
            sent.values().removeIf(shipment -> isSettled(lane, changes, shipment));
        }
    }

    /** The front has moved, and the lane with it. */
    void carried(Owner owner, Mark before) {
        LaneRow lane = lane(owner);
        review(index(lane), owner, lane, before);
        Map<Long, Receiver.Shipment> sent = unsettled.get(owner);
        if (sent != null) {
            sent.values().removeIf(shipment -> isSettled(lane, new Changes(), shipment));
        }
    }

    /** Its take-overs are forgotten. */
    void boarded(LaneRow lane) {
        fates.get(index(lane)).values().stream()
                .filter(fate -> fate.kills > 0 && fate.event.lane(lane.lanes) == lane.index)
                .forEach(fate -> fate.forgiven++);
    }

    private boolean isSettled(LaneRow lane, Changes changes, Receiver.Shipment shipment) {
        long seq = shipment.event.seq();
        if (replay(shipment) != 0) {
            return changes.rows.containsKey(seq) || changes.items.stream().anyMatch(item -> item.seq() == seq);
        }
        return changes.rows.containsKey(seq)
                || changes.removedRows.contains(seq)
                || changes.letters.stream().anyMatch(letter -> letter.seq() == seq)
                || (!lane.rows.containsKey(seq)
                        && database.covers(database.mark(lane), Objects.requireNonNull(database.log.get(seq))));
    }

    private void take(int index, Owner owner, RowChange row) {
        Fate fate = fate(index, row.seq());
        require(past(index).isWanted(fate.event), owner, () -> "gives an event a row that is not wanted: " + row.seq());
        fate.known = row.state() == DeliveryState.HELD ? Known.HELD : Known.WAITS;
        fate.deferred |= row.state() == DeliveryState.DEFERRED;
    }

    private void take(int index, LetterChange letter) {
        Fate fate = fate(index, letter.seq());
        if (letter instanceof LetterChange.Dead dead) {
            fate.buried = true;
            fate.known = Known.FAILED;
            if (dead.failure().reason().isBlank()) {
                throw new Simulation.BrokenPromise("event " + letter.seq() + " is a dead letter without a reason");
            }
        } else if (letter instanceof LetterChange.Returned) {
            fate.known = Known.FAILED;
        } else if (letter instanceof LetterChange.Discarded || letter instanceof LetterChange.Purged) {
            fate.known = Known.DISCARDED;
        }
    }

    private void take(int index, Owner owner, ItemChange item) {
        Fate fate = fate(index, item.seq());
        LaneRow lane = lane(owner);
        boolean letterIsLeft = database.letters(lane.subscriptionId).containsKey(item.seq());
        if (item instanceof ItemChange.Delivered) {
            require(
                    fate.acknowledged.contains(new Fate.Sender(owner, item.replayId())),
                    owner,
                    () -> "counts item " + item + " as delivered, which was not");
            require(!letterIsLeft, owner, () -> "leaves a dead letter of item " + item);
            fate.known = delivered(index, lane, fate);
        } else if (item instanceof ItemChange.Failed && !letterIsLeft) {
            // It was delivered before.
            fate.known = Known.DELIVERED;
        }
    }

    private void removed(int index, Owner owner, LaneRow lane, long seq, Changes changes) {
        boolean buried = changes.letters.stream()
                .anyMatch(letter -> letter.seq() == seq
                        && (letter instanceof LetterChange.Dead || letter instanceof LetterChange.Returned));
        boolean wasReplayed = changes.items.stream().anyMatch(item -> item.seq() == seq);
        if (buried || wasReplayed) {
            return;
        }
        Fate fate = fate(index, seq);
        require(
                fate.acknowledged.contains(new Fate.Sender(owner, 0)),
                owner,
                () -> "removes the row of " + seq + ", which was not delivered");
        fate.known = delivered(index, lane, fate);
    }

    private Known delivered(int index, LaneRow lane, Fate fate) {
        boolean passed = past(index).generation(fate.event) < lane.generation
                || database.covers(database.mark(lane), fate.event);
        return passed ? Known.DELIVERED : Known.DELIVERED_EARLY;
    }

    /** Only what may have passed since: of older transactions both marks see everything. */
    private void review(int index, Owner owner, LaneRow lane, Mark mark) {
        Visibility.Reach before = database.visibility.of(mark);
        Visibility.Reach after = database.visibility.of(database.mark(lane));
        for (EventRow event :
                database.log.since(Math.min(before.a().xmin(), after.a().xmin()))) {
            if (event.lane(lane.lanes) == lane.index) {
                review(index, owner, lane, before.covers(event), after.covers(event), event);
            }
        }
    }

    /** What the mark passes was delivered, or has a row or a dead letter by now. */
    private void review(int index, Owner owner, LaneRow lane, boolean was, boolean is, EventRow event) {
        if (was && !is) {
            throw new Simulation.BrokenPromise(owner + " moves its mark back over event " + event.seq());
        }
        if (!is
                || was
                || past(index).generation(event) != lane.generation
                || !past(index).isWanted(event)) {
            return;
        }
        Fate fate = fate(index, event.seq());
        if (lane.rows.containsKey(event.seq())
                || database.letters(lane.subscriptionId).containsKey(event.seq())) {
            return;
        }
        require(
                fate.acknowledged.contains(new Fate.Sender(owner, 0))
                        || fate.known == Known.DELIVERED_EARLY
                        // By a replay, in this very settle.
                        || fate.known == Known.DELIVERED,
                owner,
                () -> "moves its mark over event " + event.seq()
                        + ", which was not delivered and has neither a row nor a dead letter");
        fate.known = Known.DELIVERED;
    }

    void ended(Owner owner, Lane.State state) {
        Map<Long, Receiver.Shipment> sent = unsettled.remove(owner);
        if (state == Lane.State.LEFT && sent != null) {
            // An item of a replay comes again only if its replay still runs.
            int doubtful =
                    inDoubt(index(lane(owner)), sent.values(), each -> replay(each) == 0 || !carried.contains(each));
            require(doubtful == 0, owner, () -> "left with " + doubtful + " events in doubt: " + sent.keySet());
        }
    }

    void gone(SimulatedInstance instance) {
        unsettled.keySet().removeIf(owner -> owner.instance() == instance);
    }

    /** What was broken is only told if something was: this is asked far too often to put it into words each time. */
    private static void require(boolean holds, Owner owner, Supplier<String> what) {
        if (!holds) {
            throw new Simulation.BrokenPromise(owner + " " + what.get());
        }
    }

    List<Long> firstArrivals(int index) {
        return firstArrivals.get(index);
    }

    int place(long seq) {
        return Objects.requireNonNull(places.get(seq));
    }
}
