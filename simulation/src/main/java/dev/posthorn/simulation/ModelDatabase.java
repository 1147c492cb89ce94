package dev.posthorn.simulation;

import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Filter;
import dev.posthorn.log.Mark;
import dev.posthorn.log.Snapshot;
import dev.posthorn.relay.store.Command;
import dev.posthorn.simulation.Tables.AttemptRow;
import dev.posthorn.simulation.Tables.ChangeRow;
import dev.posthorn.simulation.Tables.CommandRow;
import dev.posthorn.simulation.Tables.CommittedLog;
import dev.posthorn.simulation.Tables.EventRow;
import dev.posthorn.simulation.Tables.FrontRow;
import dev.posthorn.simulation.Tables.ItemRow;
import dev.posthorn.simulation.Tables.LaneRow;
import dev.posthorn.simulation.Tables.LetterRow;
import dev.posthorn.simulation.Tables.ReceiptRow;
import dev.posthorn.simulation.Tables.ReplayRow;
import dev.posthorn.simulation.Tables.SessionRow;
import dev.posthorn.simulation.Tables.SubscriptionRow;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Posthorn's tables in memory, with transactions of writers that overlap and snapshots of them as PostgreSQL takes them.
 * Every call of a store on it is a transaction of its own.
 */
final class ModelDatabase {

    private final LongSupplier clock;
    private final TreeSet<Long> running = new TreeSet<>();
    private final Map<Long, List<EventRow>> written = new HashMap<>();
    private long lastXid = 700;
    private long lastEnded = 700;
    private long lastSeq;
    private long lastId;

    /** What a crash does not take back: whoever waits for the disk brings all before it there as well. */
    private Counters flushed = counters();

    /** Committed by who did not wait for the disk. */
    private final List<EventRow> unflushed = new ArrayList<>();

    private @Nullable Standby standby;

    /** The snapshot of now, if it was taken since the last transaction began or ended. */
    private @Nullable Snapshot taken;

    private long lastEpoch;

    final Visibility.Cache visibility = new Visibility.Cache();

    final CommittedLog log = new CommittedLog();

    final List<SubscriptionRow> subscriptions = new ArrayList<>();
    final TreeMap<Long, LaneRow> lanes = new TreeMap<>();
    final TreeMap<UUID, SessionRow> sessions = new TreeMap<>();
    final TreeMap<UUID, FrontRow> fronts = new TreeMap<>();
    final List<ChangeRow> changes = new ArrayList<>();

    /** By subscription and seq. */
    final Map<Long, TreeMap<Long, LetterRow>> letters = new HashMap<>();

    final TreeMap<Long, CommandRow> commands = new TreeMap<>();
    final TreeMap<Long, ReplayRow> replays = new TreeMap<>();
    final List<AttemptRow> attempts = new ArrayList<>();
    final List<ReceiptRow> receipts = new ArrayList<>();

    /** Of which events it takes no delivery row. */
    LongPredicate refuses = seq -> false;

    /** @param clock the database's, in microseconds */
    ModelDatabase(LongSupplier clock) {
        this.clock = clock;
    }

    long micros() {
        return clock.getAsLong();
    }

    Instant now() {
        return instant(micros());
    }

    static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    static long micros(Instant time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }

    long nextId() {
        return ++lastId;
    }

    /** One that was never given out before, whatever was undone since. */
    long nextEpoch() {
        return ++lastEpoch;
    }

    // ---- what is told

    /** A transaction by itself that has changed something of the subscription. Returns its id. */
    long changed(long subscriptionId) {
        return commitChange(begin(), subscriptionId);
    }

    /** A transaction ends that has changed something of the subscription. */
    long commitChange(long xid, long subscriptionId) {
        changes.add(new ChangeRow(xid, subscriptionId));
        commit(xid, false);
        return xid;
    }

    void pause(SubscriptionRow subscription, boolean paused) {
        pause(subscription, paused, begin());
    }

    /** At the end of a transaction. */
    void pause(SubscriptionRow subscription, boolean paused, long xid) {
        if (subscription.paused == paused) {
            rollback(xid);
        } else {
            subscription.paused = paused;
            subscription.pausedTxid = commitChange(xid, subscription.id);
        }
    }

    /** Whether it is paused, and every process that serves it obeys. */
    boolean isQuiet(SubscriptionRow subscription) {
        return subscription.paused
                && sessions.values().stream()
                        .filter(session -> session.served.contains(subscription.id) && session.expiresAt > micros())
                        .allMatch(session -> visibility.sees(session.obeys, subscription.pausedTxid));
    }

    @Nullable
    SessionRow session(@Nullable UUID id) {
        return id == null ? null : sessions.get(id);
    }

    // ---- writers

    /** Begins a transaction, with its id. */
    long begin() {
        running.add(++lastXid);
        taken = null;
        return lastXid;
    }

    EventRow insert(long xid, Event event) {
        EventRow row = new EventRow(xid, new RecordedEvent(++lastSeq, event, now()));
        written.computeIfAbsent(xid, x -> new ArrayList<>()).add(row);
        return row;
    }

    /** @param waits for the disk */
    void commit(long xid, boolean waits) {
        for (EventRow row : end(xid)) {
            row.committed = true;
            log.add(row);
            unflushed.add(row);
        }
        if (waits) {
            flush();
        }
    }

    /** Everything so far is on the disk. */
    void flush() {
        flushed = counters();
        unflushed.clear();
    }

    /** Everything so far is on the disk, and on that of any stand-by. */
    void replicate() {
        flush();
        standby = null;
    }

    /** From now on a stand-by has what is on the disk now, and nothing more. */
    void leaveStandbyBehind() {
        flush();
        standby = new Standby(this);
    }

    boolean hasStandby() {
        return standby != null;
    }

    /**
     * Ends and starts again: what was not on the disk never was, and its transaction ids and numbers are given out again.
     * Returns the events whose commit was lost.
     */
    List<EventRow> crash() {
        List<EventRow> lost = List.copyOf(unflushed);
        lost.forEach(log::remove);
        restart(flushed);
        return lost;
    }

    /** Ends, and its stand-by goes on. Returns the events whose commit was lost. */
    List<EventRow> failOver() {
        List<EventRow> lost = Objects.requireNonNull(standby).promote(this);
        standby = null;
        return lost;
    }

    /** What is given out in turn, as it is stored at some time. */
    record Counters(long xid, long seq, long id) {}

    Counters counters() {
        return new Counters(lastXid, lastSeq, lastId);
    }

    void restart(Counters from) {
        lastXid = from.xid();
        lastEnded = from.xid();
        lastSeq = from.seq();
        lastId = from.id();
        flushed = from;
        unflushed.clear();
        running.clear();
        written.clear();
        changes.removeIf(change -> change.txid() > from.xid());
        taken = null;
    }

    void rollback(long xid) {
        end(xid);
    }

    private List<EventRow> end(long xid) {
        running.remove(xid);
        taken = null;
        lastEnded = Math.max(lastEnded, xid);
        List<EventRow> rows = written.remove(xid);
        return rows == null ? List.of() : rows;
    }

    /** One past the last that has ended: running ones may lie above it, and are not named then. */
    Snapshot snapshot() {
        Snapshot now = taken == null ? takeSnapshot() : taken;
        taken = now;
        return now;
    }

    private Snapshot takeSnapshot() {
        long xmax = lastEnded + 1;
        Long oldest = running.isEmpty() ? null : running.first();
        long xmin = oldest == null ? xmax : Math.min(oldest, xmax);
        String list = running.headSet(xmax).stream().map(String::valueOf).collect(Collectors.joining(","));
        return new Snapshot(xmin + ":" + xmax + ":" + list);
    }

    // ---- look-ups

    SubscriptionRow subscription(long id) {
        return Objects.requireNonNull(find(id), () -> "no subscription " + id);
    }

    @Nullable
    SubscriptionRow find(long id) {
        for (SubscriptionRow each : subscriptions) {
            if (each.id == id) {
                return each;
            }
        }
        return null;
    }

    @Nullable
    SubscriptionRow find(String name) {
        for (SubscriptionRow each : subscriptions) {
            if (each.name.equals(name)) {
                return each;
            }
        }
        return null;
    }

    LaneRow lane(long id) {
        return Objects.requireNonNull(lanes.get(id), () -> "no lane " + id);
    }

    /** Where it stands: by itself, or where its front does. */
    Mark mark(LaneRow lane) {
        FrontRow front = lane.front == null ? null : fronts.get(lane.front);
        return front == null ? lane.mark : front.mark;
    }

    /** Of a lane that rides nothing counts as handed over that is not settled. */
    Mark high(LaneRow lane) {
        return lane.front == null ? lane.high : mark(lane);
    }

    /** Its row is its own again, and says where the front stands. */
    void getOff(LaneRow lane, FrontRow front, long turn) {
        lane.mark = front.mark;
        lane.high = front.mark;
        lane.readSeq = Math.max(lane.readSeq, front.readSeq);
        lane.turn = turn;
        lane.front = null;
    }

    /** The front ends, and whoever rides on it gets off. */
    void endAndGetOff(UUID id) {
        FrontRow front = Objects.requireNonNull(fronts.get(id));
        front.ended = true;
        lanes.values().stream().filter(lane -> id.equals(lane.front)).forEach(lane -> getOff(lane, front, front.turn));
        flush();
    }

    List<LaneRow> lanes(SubscriptionRow subscription, int generation) {
        List<LaneRow> some = new ArrayList<>();
        for (LaneRow lane : lanes.values()) {
            if (lane.subscriptionId == subscription.id && lane.generation == generation) {
                some.add(lane);
            }
        }
        return some;
    }

    Map<Long, LetterRow> letters(long subscriptionId) {
        return letters.computeIfAbsent(subscriptionId, id -> new TreeMap<>());
    }

    boolean covers(Mark mark, EventRow event) {
        return visibility.covers(mark, event.txid, event.seq());
    }

    /** As it is stored: patterns of a kind in an order of their own. */
    static Filter stored(Filter filter) {
        return new Filter(
                sorted(filter.types()), sorted(filter.aggregateTypes()), sorted(filter.sources()), filter.headers());
    }

    private static List<String> sorted(List<String> patterns) {
        return patterns.stream().distinct().sorted().toList();
    }

    // ---- what people do

    void command(
            long subscriptionId, Command.Kind kind, EventRow event, @Nullable Instant dueAt, String by, String reason) {
        Command command = new Command(nextId(), kind, event.seq(), event.key(), dueAt, by, reason);
        commands.put(command.id(), new CommandRow(subscriptionId, event, command));
        changed(subscriptionId);
    }

    /** Whether its lanes have something to look at. */
    boolean asks(SubscriptionRow subscription) {
        return commands.values().stream().anyMatch(row -> row.answer == null && row.subscriptionId == subscription.id)
                || replays.values().stream()
                        .anyMatch(replay -> replay.state == ReplayRow.Standing.RUNNING
                                && replay.subscriptions.contains(subscription.id));
    }

    ReplayRow replay() {
        ReplayRow replay = new ReplayRow(nextId());
        replays.put(replay.id, replay);
        return replay;
    }

    /** Takes an event into a replay: its open dead letter if it has one, else from the log. */
    ItemRow item(ReplayRow replay, long subscriptionId, EventRow event) {
        if (isInReplay(subscriptionId, event.seq())) {
            throw new IllegalStateException("event " + event.seq() + " is in a replay already");
        }
        LetterRow letter = letters(subscriptionId).get(event.seq());
        ItemRow item = new ItemRow(replay.id, subscriptionId, event, letter == null ? null : letter.id);
        replay.items.add(item);
        replay.subscriptions.add(subscriptionId);
        replay.requested++;
        return item;
    }

    boolean isInReplay(long subscriptionId, long seq) {
        for (ReplayRow replay : replays.values()) {
            for (ItemRow item : replay.items) {
                if (item.isPending() && item.subscriptionId == subscriptionId && item.seq() == seq) {
                    return true;
                }
            }
        }
        return false;
    }

    void cancel(ReplayRow replay) {
        replay.state = ReplayRow.Standing.CANCELLED;
        replay.items.stream()
                .filter(ItemRow::isPending)
                .forEach(item -> item.end(ItemRow.Ending.SKIPPED, ModelReplays.CANCELLED));
        replay.subscriptions.forEach(this::changed);
    }
}
