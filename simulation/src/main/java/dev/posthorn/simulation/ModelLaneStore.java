package dev.posthorn.simulation;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.LaneScope;
import dev.posthorn.log.Mark;
import dev.posthorn.log.Snapshot;
import dev.posthorn.relay.store.Command;
import dev.posthorn.relay.store.DeadLetterState;
import dev.posthorn.relay.store.DeliveryRow;
import dev.posthorn.relay.store.DeliveryState;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.LaneStore;
import dev.posthorn.relay.store.OwnedReplayItem;
import dev.posthorn.relay.store.ReplayOrder;
import dev.posthorn.relay.store.Replayed;
import dev.posthorn.relay.store.Settled;
import dev.posthorn.relay.store.Settlement;
import dev.posthorn.relay.store.StoredLane;
import dev.posthorn.simulation.Tables.CommandRow;
import dev.posthorn.simulation.Tables.EventRow;
import dev.posthorn.simulation.Tables.LaneRow;
import dev.posthorn.simulation.Tables.LetterRow;
import dev.posthorn.simulation.Tables.RateRow;
import dev.posthorn.simulation.Tables.SessionRow;
import dev.posthorn.simulation.Tables.SubscriptionRow;
import dev.posthorn.simulation.Tables.WaitingRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Keeps a lane's progress in a {@link ModelDatabase}, by the same rules as in PostgreSQL. */
final class ModelLaneStore implements LaneStore {

    private static final Comparator<WaitingRow> BY_DUE = Comparator.<WaitingRow>comparingLong(
                    row -> Objects.requireNonNull(row.dueAt))
            .thenComparingLong(row -> row.place);

    /** Told of every settle that was done, right after it. */
    interface Witness {

        Witness NONE = (grant, before, settlement) -> {};

        void settled(LaneGrant grant, Before before, Settlement settlement);
    }

    /** How the lane stood before a settle. */
    record Before(Mark mark, long epoch) {}

    private final ModelDatabase database;
    private final LaneGrant grant;
    private final Witness witness;
    private final ModelReplays replays;
    private final ModelWriter writer;

    /** Of the last settle, in case its answer is lost. */
    ModelLaneStore(ModelDatabase database, LaneGrant grant, Witness witness) {
        this.database = database;
        this.grant = grant;
        this.witness = witness;
        this.replays = new ModelReplays(database, grant);
        this.writer = new ModelWriter(database, grant, replays);
    }

    private LaneRow lane() {
        return database.lane(grant.lease().laneId());
    }

    @Override
    public @Nullable StoredLane begin() {
        LaneRow lane = database.lanes.get(grant.lease().laneId());
        if (lane != null && !lane.ended && isOwned(lane) && lane.front != null) {
            // It is of a connection that was lost.
            database.endAndGetOff(lane.front);
        }
        return lane == null || lane.ended || !isOwned(lane)
                ? null
                : new StoredLane(
                        lane.mark,
                        lane.readSeq,
                        lane.rowSeq,
                        lane.turn,
                        lane.parkedFor,
                        lane.takeovers,
                        lane.gauge == null ? null : lane.gauge.denialReason(),
                        lane.gauge == null || lane.gauge.equals(Settlement.Gauge.CALM),
                        leased(lane),
                        null,
                        isCalm(lane));
    }

    private boolean isCalm(LaneRow lane) {
        return lane.rows.isEmpty()
                && letters().values().stream().noneMatch(letter -> letter.holdsKey && !letter.discarded)
                && database.commands.values().stream()
                        .noneMatch(row -> row.answer == null && row.subscriptionId == grant.subscriptionId())
                && !replays.isAnyRunning();
    }

    @Override
    public boolean hasEnded() {
        LaneRow lane = database.lanes.get(grant.lease().laneId());
        return lane == null || lane.ended;
    }

    private Duration leased(LaneRow lane) {
        SessionRow session = database.session(lane.session);
        return session == null ? Duration.ZERO : Duration.ofNanos((session.expiresAt - database.micros()) * 1000);
    }

    private boolean isOwned(LaneRow lane) {
        return lane.epoch == grant.lease().epoch();
    }

    @Override
    public boolean isCurrent() {
        return true;
    }

    @Override
    public @Nullable Snapshot stopAt() {
        return database.subscription(grant.subscriptionId()).stopAt;
    }

    @Override
    public Settled settle(Settlement asked) {
        LaneRow lane = database.lanes.get(grant.lease().laneId());
        if (lane == null || lane.ended || !isOwned(lane)) {
            return Settled.LOST;
        }
        if (lane.turn != asked.former() || lane.front != null) {
            return Settled.LOST;
        }
        ModelRefusals.Written written = ModelRefusals.of(database, grant, asked);
        Settlement settlement = written.settlement();
        Before before = new Before(lane.mark, lane.epoch);
        lane.mark = settlement.mark();
        lane.high = settlement.high();
        lane.readSeq = Math.max(lane.readSeq, settlement.readSeq());
        lane.rowSeq = Math.max(lane.rowSeq, settlement.changes().greatestSeq());
        lane.parkedFor = settlement.parkedFor();
        lane.turn = settlement.turn();
        if (settlement.undisturbed()) {
            lane.takeovers = 0;
        }
        writer.write(lane, settlement);
        database.flush();
        witness.settled(grant, before, settlement);
        return written.settled();
    }

    @Override
    public boolean pause(String reason) {
        SubscriptionRow subscription = database.subscription(grant.subscriptionId());
        boolean done = isOwned(lane()) && !subscription.paused;
        if (done) {
            database.pause(subscription, true);
        }
        database.replicate();
        return done;
    }

    @Override
    public Granted leaseTokens(double ratePerSecond, double capacity, int wanted) {
        SubscriptionRow subscription = database.subscription(grant.subscriptionId());
        RateRow.Lease lease = RateRow.lease(subscription.rate, database.micros(), ratePerSecond, capacity, wanted);
        subscription.rate = lease.row();
        subscription.granted += lease.granted().tokens();
        return lease.granted();
    }

    @Override
    public Blocked blockedKeys(int limit) {
        List<BlockedKey> all = blocked();
        List<BlockedKey> clear = all.stream().filter(ModelLaneStore::isClear).toList();
        List<BlockedKey> some = Stream.concat(
                        clear.stream(),
                        all.stream().filter(key -> !isClear(key)).limit(Math.max(0, limit - clear.size())))
                .toList();
        return new Blocked(some, all.size() - some.size());
    }

    private static boolean isClear(BlockedKey key) {
        return key.waiting() + key.holding() == 0;
    }

    @Override
    public List<BlockedKey> blocked(Collection<String> keys) {
        return blocked().stream().filter(key -> keys.contains(key.key())).toList();
    }

    private List<BlockedKey> blocked() {
        Map<String, int[]> keys = new TreeMap<>();
        for (WaitingRow row : lane().rows.values()) {
            if (row.key != null && row.state != DeliveryState.DEFERRED) {
                int[] counts = keys.computeIfAbsent(row.key, k -> new int[2]);
                counts[0] += row.state == DeliveryState.WAITING ? 1 : 0;
            }
        }
        for (LetterRow letter : letters().values()) {
            String key = letter.event.key();
            if (key != null && letter.holdsKey && !letter.discarded && isMine(letter.event)) {
                keys.computeIfAbsent(key, k -> new int[2])[1]++;
            }
        }
        List<BlockedKey> blocked = new ArrayList<>();
        keys.forEach((key, counts) -> blocked.add(new BlockedKey(key, counts[0], counts[1])));
        return blocked;
    }

    private boolean isMine(EventRow event) {
        return event.lane(grant.scope().lanes()) == grant.scope().index();
    }

    private Map<Long, LetterRow> letters() {
        return database.letters(grant.subscriptionId());
    }

    @Override
    public Set<Long> known(List<Long> seqs) {
        return seqs.stream()
                .filter(seq -> lane().rows.containsKey(seq) || letters().containsKey(seq))
                .collect(Collectors.toSet());
    }

    @Override
    public Agenda agenda() {
        long now = database.micros();
        WaitingRow next = first(row -> true, BY_DUE);
        return new Agenda(
                next == null ? null : Duration.ofNanos((Objects.requireNonNull(next.dueAt) - now) * 1000),
                !commands(1).isEmpty(),
                replays.isAnyRunning());
    }

    private List<WaitingRow> sendable(Predicate<WaitingRow> which) {
        List<WaitingRow> some = new ArrayList<>();
        for (WaitingRow row : lane().rows.values()) {
            if (row.state != DeliveryState.HELD && which.test(row)) {
                some.add(row);
            }
        }
        return some;
    }

    /** The first of those that may be sent. */
    private @Nullable WaitingRow first(Predicate<WaitingRow> which, Comparator<WaitingRow> order) {
        List<WaitingRow> some = sendable(which);
        return some.isEmpty() ? null : Collections.min(some, order);
    }

    @Override
    public List<DeliveryRow> due(int limit) {
        long now = database.micros();
        List<WaitingRow> due = sendable(row -> Objects.requireNonNull(row.dueAt) <= now);
        due.sort(BY_DUE);
        return deliveryRows(due.subList(0, Math.min(limit, due.size())));
    }

    @Override
    public @Nullable DeliveryRow earliest() {
        return orNull(first(row -> row.state == DeliveryState.WAITING, BY_DUE));
    }

    @Override
    public @Nullable DeliveryRow oldest() {
        return orNull(first(
                row -> row.state == DeliveryState.WAITING && row.replayId == null && row.deadLetterId == null,
                Comparator.comparingLong(row -> row.seq)));
    }

    @Override
    public List<DeliveryRow> held(List<String> keys, int perKey) {
        List<DeliveryRow> first = new ArrayList<>();
        for (String key : new TreeSet<>(keys)) {
            List<WaitingRow> held = held(key);
            held.sort(Comparator.comparingLong(row -> row.place));
            first.addAll(deliveryRows(held.subList(0, Math.min(perKey, held.size()))));
        }
        return first;
    }

    private List<WaitingRow> held(String key) {
        List<WaitingRow> held = new ArrayList<>();
        for (WaitingRow row : lane().rows.values()) {
            if (row.state == DeliveryState.HELD && key.equals(row.key)) {
                held.add(row);
            }
        }
        return held;
    }

    @Override
    public @Nullable DeliveryRow row(long seq) {
        return orNull(lane().rows.get(seq));
    }

    private List<DeliveryRow> deliveryRows(List<WaitingRow> rows) {
        List<DeliveryRow> all = new ArrayList<>(rows.size());
        for (WaitingRow row : rows) {
            all.add(deliveryRow(row));
        }
        return all;
    }

    private @Nullable DeliveryRow orNull(@Nullable WaitingRow row) {
        return row == null ? null : deliveryRow(row);
    }

    private DeliveryRow deliveryRow(WaitingRow row) {
        boolean due = row.dueAt == null || row.dueAt <= database.micros();
        LetterRow letter = row.deadLetterId == null ? null : letters().get(row.seq);
        RecordedEvent event = Objects.requireNonNull(database.log.get(row.seq)).recorded;
        Long replayId = row.replayId;
        return new DeliveryRow(
                replayId == null ? event : ModelReplays.marked(event, replayId),
                row.state,
                row.attempts,
                due,
                replayId == null ? null : new Replayed(replayId, row.deadLetterId),
                letter != null && letter.holdsKey,
                row.unanswered);
    }

    @Override
    public boolean isUnsettled(long seq) {
        EventRow event = database.log.get(seq);
        return event != null && !database.covers(database.mark(lane()), event) && isWanted(event);
    }

    private boolean isWanted(EventRow event) {
        LaneScope scope = grant.scope();
        boolean tooOld = scope.since() != null && event.recorded.createdAt().isBefore(scope.since());
        return scope.filter().wants(event.recorded.event()) && !tooOld;
    }

    @Override
    public List<Command> commands(int limit) {
        List<Command> open = new ArrayList<>();
        List<Command> toDefer = new ArrayList<>();
        for (CommandRow row : database.commands.values()) {
            if (row.answer == null && row.subscriptionId == grant.subscriptionId() && isMine(row.event)) {
                (row.command.kind() == Command.Kind.DEFER ? toDefer : open).add(row.command);
            }
        }
        open.addAll(toDefer);
        return open.size() <= limit ? open : open.subList(0, limit);
    }

    @Override
    public @Nullable DeadLetterState letter(long seq) {
        LetterRow letter = letters().get(seq);
        return letter == null ? null : letter(letter);
    }

    private DeadLetterState letter(LetterRow row) {
        long seq = row.event.seq();
        return new DeadLetterState(
                seq,
                row.event.key(),
                row.holdsKey,
                row.discarded,
                lane().rows.containsKey(seq) || replays.isReplaying(seq));
    }

    @Override
    public List<ReplayOrder> replays() {
        return replays.running();
    }

    @Override
    public List<OwnedReplayItem> replayItems(ReplayOrder replay, long afterSeq, int limit) {
        return replays.items(replay, afterSeq, limit);
    }

    @Override
    public int lanesBefore(ReplayOrder replay) {
        return replays.lanesBefore(replay);
    }

    @Override
    public Granted leaseTokens(ReplayOrder replay, double capacity, int wanted) {
        return replays.leaseTokens(replay, capacity, wanted);
    }
}
