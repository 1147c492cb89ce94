package dev.posthorn.simulation;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Batch;
import dev.posthorn.log.Cursor;
import dev.posthorn.log.EventLog;
import dev.posthorn.log.Mark;
import dev.posthorn.log.Snapshot;
import dev.posthorn.relay.store.Command;
import dev.posthorn.relay.store.DeadLetterState;
import dev.posthorn.relay.store.DeliveryRow;
import dev.posthorn.relay.store.FrontStore;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.LaneStore;
import dev.posthorn.relay.store.Lease;
import dev.posthorn.relay.store.LeaseStore;
import dev.posthorn.relay.store.Look;
import dev.posthorn.relay.store.OwnedReplayItem;
import dev.posthorn.relay.store.ReplayOrder;
import dev.posthorn.relay.store.SessionTrust;
import dev.posthorn.relay.store.Settled;
import dev.posthorn.relay.store.Settlement;
import dev.posthorn.relay.store.StoredLane;
import dev.posthorn.subscription.Subscription;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What may happen to an instance whenever it talks to the database: the call fails before it had an effect or after it
 * (the answer of a commit is lost), takes long, or the process ends before or after it.
 */
final class Hazards {

    private final World world;
    private final ModelLink link;

    Hazards(World world, ModelLink link) {
        this.world = world;
        this.link = link;
    }

    <T extends @Nullable Object> T call(String what, Supplier<T> call) {
        link.open();
        if (world.isQuiet()) {
            return call.get();
        }
        strike(what, "before");
        T answer = call.get();
        strike(what, "after");
        return answer;
    }

    /** A change that waits for the disk. */
    private <T extends @Nullable Object> T write(String what, Supplier<T> call) {
        return call(what, () -> {
            T answer = call.get();
            world.database().flush();
            return answer;
        });
    }

    private void strike(String what, String when) {
        Scenario scenario = world.scenario();
        if (world.isDatabaseAway() || world.chance(scenario.databaseTrouble)) {
            world.trace(() -> "  the database fails " + when + " " + what);
            link.lose();
            throw new PosthornException(ErrorCode.DATABASE, what + " failed: simulated");
        }
        if (world.chance(scenario.crashInCall)) {
            throw new SimulatedInstance.Crash(when + " " + what);
        }
        // A renewal that takes long is what trust in leases is about.
        if (world.chance(what.equals("renew") ? 10 * scenario.slowCall : scenario.slowCall)) {
            world.passTime(world.between(50, 3000));
        }
    }

    EventLog around(EventLog log, ModelLink.Bound bound) {
        return (cursor, limit, bytes) -> {
            bound.use();
            return read(log, cursor, limit, bytes);
        };
    }

    private Batch read(EventLog log, Cursor cursor, int limit, long bytes) {
        Batch batch = call("read", () -> log.read(cursor, limit, bytes));
        world.trace(() -> "  read from " + cursor + " up to " + limit + ": "
                + batch.events().stream().map(RecordedEvent::seq).toList() + " then " + batch.next());
        return batch;
    }

    FrontStore around(FrontStore store, ModelLink.Bound bound, Supplier<List<SimulatedInstance.Owner>> owners) {
        return new FrontStore() {
            @Override
            public void begin(UUID front, UUID session, Mark at, long readSeq, long turn) {
                bound.begin();
                run("begin a front", () -> store.begin(front, session, at, readSeq, turn));
                world.trace(() -> "  front " + front + " begins at " + at);
            }

            @Override
            public void end(Collection<UUID> fronts) {
                bound.begin();
                run("end fronts", () -> store.end(fronts));
            }

            @Override
            public boolean isCurrent() {
                return bound.isCurrent();
            }

            @Override
            public Moved move(Move move) {
                bound.use();
                world.trace(() -> "  " + move);
                if (!world.isQuiet() && world.chance(world.scenario().lateSettle)) {
                    moveLate(store, move, owners.get());
                }
                Moved moved = call("move", () -> store.move(move));
                world.trace(() -> "  " + moved);
                return moved;
            }
        };
    }

    private void run(String what, Runnable call) {
        Supplier<Boolean> asked = () -> {
            call.run();
            return true;
        };
        var unused = call(what, asked);
    }

    /** A move of a front whose connection is lost may be under way: it counts if it comes before the front was ended. */
    private void moveLate(FrontStore store, FrontStore.Move move, List<SimulatedInstance.Owner> owners) {
        long start = world.databaseStarts();
        world.trace(() -> "  the connection is lost in a move");
        world.after(world.between(0, 3000), () -> {
            if (start == world.databaseStarts()) {
                owners.forEach(world.history()::surprised);
                FrontStore.Moved moved = store.move(move);
                world.trace(() -> "  a move of a lost connection is done: " + moved);
            }
        });
        link.lose();
        throw new PosthornException(ErrorCode.DATABASE, "move failed: simulated, and done later");
    }

    LaneStore around(LaneStore store, ModelLink.Bound bound, ModelLink.Standings standings) {
        return new LaneStore() {
            private <T extends @Nullable Object> T call(String what, Supplier<T> call) {
                bound.use();
                return Hazards.this.call(what, call);
            }

            @Override
            public @Nullable StoredLane begin() {
                bound.begin();
                StoredLane ahead = standings.take(world.owner());
                StoredLane stored = ahead == null ? ask() : ahead;
                world.history().began(world.owner());
                world.trace(() -> "  " + world.owner() + " stands at " + stored);
                return stored;
            }

            private @Nullable StoredLane ask() {
                StoredLane stored = this.<@Nullable StoredLane>call("begin", store::begin);
                world.history().sees(world.owner());
                return stored;
            }

            @Override
            public boolean hasEnded() {
                return this.call("hasEnded", store::hasEnded);
            }

            @Override
            public boolean isCurrent() {
                return bound.isCurrent();
            }

            @Override
            public @Nullable Snapshot stopAt() {
                return this.<@Nullable Snapshot>call("stopAt", store::stopAt);
            }

            @Override
            public Settled settle(Settlement settlement) {
                bound.use();
                standings.forget(world.owner());
                if (!world.isQuiet() && world.chance(world.scenario().lateSettle)) {
                    settleLate(store, settlement);
                }
                return call("settle", () -> store.settle(settlement));
            }

            @Override
            public boolean pause(String reason) {
                return call("pause", () -> store.pause(reason));
            }

            @Override
            public Granted leaseTokens(double ratePerSecond, double capacity, int wanted) {
                return call("lease tokens", () -> store.leaseTokens(ratePerSecond, capacity, wanted));
            }

            @Override
            public Blocked blockedKeys(int limit) {
                return call("blockedKeys", () -> store.blockedKeys(limit));
            }

            @Override
            public List<BlockedKey> blocked(Collection<String> keys) {
                return call("blocked", () -> store.blocked(keys));
            }

            @Override
            public Set<Long> known(List<Long> seqs) {
                return call("known", () -> store.known(seqs));
            }

            @Override
            public Agenda agenda() {
                return call("agenda", store::agenda);
            }

            @Override
            public List<DeliveryRow> due(int limit) {
                return call("due", () -> store.due(limit));
            }

            @Override
            public @Nullable DeliveryRow oldest() {
                return this.<@Nullable DeliveryRow>call("oldest", store::oldest);
            }

            @Override
            public @Nullable DeliveryRow earliest() {
                return this.<@Nullable DeliveryRow>call("earliest", store::earliest);
            }

            @Override
            public List<DeliveryRow> held(List<String> keys, int perKey) {
                return call("held", () -> store.held(keys, perKey));
            }

            @Override
            public @Nullable DeliveryRow row(long seq) {
                return this.<@Nullable DeliveryRow>call("row", () -> store.row(seq));
            }

            @Override
            public boolean isUnsettled(long seq) {
                return call("isUnsettled", () -> store.isUnsettled(seq));
            }

            @Override
            public List<Command> commands(int limit) {
                return call("commands", () -> store.commands(limit));
            }

            @Override
            public @Nullable DeadLetterState letter(long seq) {
                return this.<@Nullable DeadLetterState>call("letter", () -> store.letter(seq));
            }

            @Override
            public List<ReplayOrder> replays() {
                world.history().looks(world.owner());
                List<ReplayOrder> running = call("replays", store::replays);
                world.history().looked(world.owner(), running);
                return running;
            }

            @Override
            public List<OwnedReplayItem> replayItems(ReplayOrder replay, long afterSeq, int limit) {
                List<OwnedReplayItem> items = call("replayItems", () -> store.replayItems(replay, afterSeq, limit));
                world.trace(() -> "  items of replay " + replay.id() + " behind " + afterSeq + " up to " + limit + ": "
                        + items.stream().map(OwnedReplayItem::seq).toList());
                return items;
            }

            @Override
            public int lanesBefore(ReplayOrder replay) {
                return call("lanesBefore", () -> store.lanesBefore(replay));
            }

            @Override
            public Granted leaseTokens(ReplayOrder replay, double capacity, int wanted) {
                return call("lease a replay's tokens", () -> store.leaseTokens(replay, capacity, wanted));
            }
        };
    }

    /** The connection is lost, but the server works on at what it was asked: the commit comes later. */
    private void settleLate(LaneStore store, Settlement settlement) {
        long start = world.databaseStarts();
        SimulatedInstance.Owner owner = world.owner();
        world.trace(() -> "  the connection is lost in settle " + settlement.turn());
        world.after(world.between(0, 3000), () -> {
            if (start == world.databaseStarts()) {
                world.history().surprised(owner);
                store.settle(settlement);
            }
        });
        link.lose();
        throw new PosthornException(ErrorCode.DATABASE, "settle failed: simulated, and done later");
    }

    /** A lease keeper may stand still between any two of its calls. */
    private <T extends @Nullable Object> T keeperCall(String what, Supplier<T> call) {
        if (!world.isQuiet()) {
            world.meanwhile();
        }
        return call(what, call);
    }

    /** The connection may be lost while the server works on at what it was asked, and does it later. */
    private <T extends @Nullable Object> T keeperWrite(
            String what, ModelLeaseStore store, Function<ModelLeaseStore, T> call) {
        if (!world.isQuiet()) {
            world.meanwhile();
            if (world.chance(world.scenario().lateCall)) {
                link.open();
                doLater(what, store.asNow(), call);
            }
        }
        return write(what, () -> call.apply(store));
    }

    private <T extends @Nullable Object> void doLater(
            String what, ModelLeaseStore asked, Function<ModelLeaseStore, T> call) {
        long start = world.databaseStarts();
        world.trace(() -> "  the connection is lost in " + what);
        world.after(world.between(0, 3000), () -> {
            if (start == world.databaseStarts()) {
                T unheard = call.apply(asked);
                world.database().flush();
                world.trace(() -> "  " + what + " of a lost connection is done: " + unheard);
                world.noteGenerations();
            }
        });
        link.lose();
        throw new PosthornException(ErrorCode.DATABASE, what + " failed: simulated, and done later");
    }

    private void keeperRun(String what, ModelLeaseStore store, Consumer<ModelLeaseStore> call) {
        Function<ModelLeaseStore, @Nullable Object> function = each -> {
            call.accept(each);
            return null;
        };
        keeperWrite(what, store, function);
    }

    LeaseStore around(ModelLeaseStore store) {
        ModelLink.Bound bound = link.new Bound();
        return new LeaseStore() {
            @Override
            public void begin() {
                bound.begin();
                store.begin();
            }

            @Override
            public boolean isCurrent() {
                return bound.isCurrent();
            }

            @Override
            public Registered register(List<Subscription> subscriptions) {
                bound.use();
                return keeperWrite("register", store, each -> each.register(subscriptions));
            }

            @Override
            public List<PosthornException> request(Map<Long, Subscription> wishes) {
                bound.use();
                return keeperWrite("request", store, each -> {
                    List<PosthornException> refused = each.request(wishes);
                    wishes.values().forEach(world.wishes()::asked);
                    return refused;
                });
            }

            @Override
            public UUID open(Duration ttl) {
                bound.use();
                return keeperWrite("open", store, each -> each.open(ttl));
            }

            @Override
            public boolean renew(Duration ttl, @Nullable Snapshot obeys) {
                bound.use();
                return keeperWrite("renew", store, each -> each.renew(ttl, obeys));
            }

            @Override
            public Doubted reconcile(Collection<Lease> held) {
                bound.use();
                List<Lease> now = List.copyOf(held);
                return keeperWrite("reconcile", store, each -> each.reconcile(now));
            }

            @Override
            public void serve(Collection<Long> begun, Collection<Long> ended) {
                bound.use();
                List<Long> more = List.copyOf(begun);
                List<Long> less = List.copyOf(ended);
                keeperRun("serve", store, each -> each.serve(more, less));
            }

            @Override
            public Look look(@Nullable Snapshot since, Collection<Long> others) {
                bound.use();
                Look look = keeperCall("look", () -> store.look(since, others));
                world.trace(() -> "  looked since " + since + ": " + look);
                return look;
            }

            @Override
            public List<LaneGrant> acquire(List<Claim> claims, SessionTrust trust) {
                bound.use();
                List<Claim> now = List.copyOf(claims);
                return keeperWrite("acquire", store, each -> each.acquire(now, trust));
            }

            @Override
            public void release(Collection<Lease> leases) {
                bound.use();
                List<Lease> now = List.copyOf(leases);
                keeperRun("release", store, each -> each.release(now));
            }

            @Override
            public List<PosthornException> advance(Collection<Long> subscriptionIds) {
                bound.use();
                List<Long> now = List.copyOf(subscriptionIds);
                return keeperWrite("advance", store, each -> each.advance(now));
            }

            @Override
            public void trim() {
                bound.use();
                keeperRun("trim", store, ModelLeaseStore::trim);
            }

            @Override
            public void close() {
                bound.use();
                keeperRun("close", store, ModelLeaseStore::close);
            }
        };
    }
}
