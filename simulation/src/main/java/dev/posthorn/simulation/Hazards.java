package dev.posthorn.simulation;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Batch;
import dev.posthorn.log.Cursor;
import dev.posthorn.log.EventLog;
import dev.posthorn.log.Snapshot;
import dev.posthorn.relay.store.Command;
import dev.posthorn.relay.store.DeadLetterState;
import dev.posthorn.relay.store.DeliveryRow;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.LaneStore;
import dev.posthorn.relay.store.Lease;
import dev.posthorn.relay.store.LeaseStore;
import dev.posthorn.relay.store.OwnedReplayItem;
import dev.posthorn.relay.store.ReplayOrder;
import dev.posthorn.relay.store.Settled;
import dev.posthorn.relay.store.Settlement;
import dev.posthorn.relay.store.StoredLane;
import dev.posthorn.subscription.Subscription;
import java.util.Collection;
import java.util.List;
import java.util.Set;
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

    private <T extends @Nullable Object> T call(String what, Supplier<T> call) {
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

    private void run(String what, Runnable call) {
        Supplier<@Nullable Object> supplier = () -> {
            call.run();
            return null;
        };
        write(what, supplier);
    }

    private void strike(String what, String when) {
        Scenario scenario = world.scenario();
        if (world.isDatabaseAway() || world.chance(scenario.databaseTrouble)) {
            world.trace(() -> "  the database fails " + when + " " + what);
            link.lose();
            throw new PosthornException(ErrorCode.DATABASE, what + " failed: simulated");
        }
        if (world.chance(scenario.crashInCall)) {
            throw new SimulatedCrash(when + " " + what);
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

    LaneStore around(LaneStore store, ModelLink.Bound bound) {
        return new LaneStore() {
            private <T extends @Nullable Object> T call(String what, Supplier<T> call) {
                bound.use();
                return Hazards.this.call(what, call);
            }

            @Override
            public @Nullable StoredLane begin() {
                bound.begin();
                StoredLane stored = this.<@Nullable StoredLane>call("begin", store::begin);
                world.history().began(world.owner());
                world.trace(() -> "  " + world.owner() + " stands at " + stored);
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

    private <T extends @Nullable Object> T keeperWrite(String what, Supplier<T> call) {
        if (!world.isQuiet()) {
            world.meanwhile();
        }
        return write(what, call);
    }

    private void keeperRun(String what, Runnable call) {
        if (!world.isQuiet()) {
            world.meanwhile();
        }
        run(what, call);
    }

    LeaseStore around(LeaseStore store) {
        return new LeaseStore() {
            @Override
            public long connection() {
                return link.open();
            }

            @Override
            public long register(Subscription subscription) {
                return keeperWrite("register", () -> store.register(subscription));
            }

            @Override
            public void request(long subscriptionId, Subscription subscription) {
                keeperRun("request", () -> {
                    store.request(subscriptionId, subscription);
                    world.wishes().asked(subscription);
                });
            }

            @Override
            public boolean appear(long subscriptionId, Subscription subscription, boolean silent) {
                return keeperWrite("appear", () -> store.appear(subscriptionId, subscription, silent));
            }

            @Override
            public void disappear(long subscriptionId) {
                keeperRun("disappear", () -> store.disappear(subscriptionId));
            }

            @Override
            public void disappear() {
                keeperRun("disappear", store::disappear);
            }

            @Override
            public Set<Long> renew(List<Lease> leases, Subscription subscription) {
                return keeperWrite("renew", () -> store.renew(leases, subscription));
            }

            @Override
            public Set<Long> ended(List<Lease> leases) {
                return keeperCall("ended", () -> store.ended(leases));
            }

            @Override
            public void release(Lease lease) {
                keeperRun("release", () -> store.release(lease));
            }

            @Override
            public Sharing sharing(long subscriptionId) {
                return keeperCall("sharing", () -> store.sharing(subscriptionId));
            }

            @Override
            public List<LaneGrant> acquire(long id, Subscription subscription, Sharing sharing, int count) {
                return keeperWrite("acquire", () -> store.acquire(id, subscription, sharing, count));
            }

            @Override
            public void advanceChange(long subscriptionId) {
                keeperRun("advanceChange", () -> store.advanceChange(subscriptionId));
            }
        };
    }
}
