package dev.posthorn.simulation;

import dev.posthorn.log.LaneScope;
import dev.posthorn.log.Mark;
import dev.posthorn.log.Snapshot;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.Lease;
import dev.posthorn.relay.store.LeaseStore;
import dev.posthorn.relay.store.Ticker;
import dev.posthorn.simulation.Tables.GenerationRow;
import dev.posthorn.simulation.Tables.LaneRow;
import dev.posthorn.simulation.Tables.SubscriptionRow;
import dev.posthorn.simulation.Tables.WaitingRow;
import dev.posthorn.subscription.StartAt;
import dev.posthorn.subscription.Subscription;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Keeps subscriptions, lanes and leases in a {@link ModelDatabase}, by the same rules as in PostgreSQL. */
final class ModelLeaseStore implements LeaseStore {

    private final ModelDatabase database;
    private final String instance;
    private final Ticker ticker;

    ModelLeaseStore(ModelDatabase database, String instance, Ticker ticker) {
        this.database = database;
        this.instance = instance;
        this.ticker = ticker;
    }

    @Override
    public long connection() {
        return 1;
    }

    @Override
    public long register(Subscription subscription) {
        SubscriptionRow found = database.find(subscription.name());
        if (found != null) {
            return found.id;
        }
        SubscriptionRow made = new SubscriptionRow(database.nextId(), subscription.name());
        made.revision = subscription.revision();
        GenerationRow first = new GenerationRow(1, newChange(), subscription);
        first.startB = database.snapshot();
        first.startA = subscription.startAt() instanceof StartAt.Now ? first.startB : Snapshot.NOTHING;
        first.since = subscription.startAt() instanceof StartAt.At at ? ModelDatabase.micros(at.time()) : null;
        made.generations.add(first);
        database.subscriptions.add(made);
        makeLanes(made, first);
        database.replicate();
        return made.id;
    }

    private void makeLanes(SubscriptionRow subscription, GenerationRow generation) {
        Mark mark = new Mark(Objects.requireNonNull(generation.startA), Objects.requireNonNull(generation.startB), 0);
        long past = database.log.lastSeq();
        for (int i = 0; i < generation.lanes; i++) {
            LaneRow lane = new LaneRow(database.nextId(), subscription.id, generation, i, mark, past);
            database.lanes.put(lane.id, lane);
        }
    }

    private UUID newChange() {
        return new UUID(0, database.nextId());
    }

    @Override
    public void request(long subscriptionId, Subscription subscription) {
        SubscriptionRow row = database.subscription(subscriptionId);
        if (row.revision > subscription.revision()) {
            return;
        }
        row.revision = subscription.revision();
        GenerationRow wanted = row.wanted();
        if (wanted != null) {
            row.generations.remove(wanted);
        }
        if (!row.current().isAsWanted(subscription)) {
            UUID change = wanted == null ? newChange() : wanted.change;
            row.generations.add(new GenerationRow(row.generation + 1, change, subscription));
        }
        if (row.wanted() == null) {
            row.stopAt = null;
        }
        database.replicate();
    }

    @Override
    public boolean appear(long subscriptionId, Subscription subscription, boolean silent) {
        if (database.find(subscriptionId) == null) {
            return false;
        }
        instances(subscriptionId).put(instance, expiry(subscription));
        return true;
    }

    private Map<String, Long> instances(long subscriptionId) {
        return database.instances.computeIfAbsent(subscriptionId, id -> new TreeMap<>());
    }

    private long expiry(Subscription subscription) {
        return database.micros() + subscription.leaseTtl().toNanos() / 1000;
    }

    @Override
    public void disappear(long subscriptionId) {
        database.instances.getOrDefault(subscriptionId, new TreeMap<>()).remove(instance);
    }

    @Override
    public void disappear() {
        database.instances.values().forEach(each -> each.remove(instance));
    }

    @Override
    public Set<Long> renew(List<Lease> leases, Subscription subscription) {
        Set<Long> renewed = new HashSet<>();
        for (Lease lease : leases) {
            LaneRow lane = owned(lease);
            if (lane != null) {
                lane.expiresAt = expiry(subscription);
                renewed.add(lane.id);
            }
        }
        return renewed;
    }

    @Override
    public Set<Long> ended(List<Lease> leases) {
        return leases.stream()
                .map(Lease::laneId)
                .filter(id -> database.lanes.get(id) == null || database.lanes.get(id).ended)
                .collect(Collectors.toSet());
    }

    private @Nullable LaneRow owned(Lease lease) {
        LaneRow lane = database.lanes.get(lease.laneId());
        boolean owned = lane != null && !lane.ended && lane.leaseEpoch == lease.epoch() && instance.equals(lane.owner);
        return owned ? lane : null;
    }

    @Override
    public void release(Lease lease) {
        LaneRow lane = owned(lease);
        if (lane != null) {
            lane.owner = null;
        }
    }

    @Override
    public Sharing sharing(long subscriptionId) {
        SubscriptionRow row = database.subscription(subscriptionId);
        long now = database.micros();
        List<String> heardOf = instances(subscriptionId).entrySet().stream()
                .filter(each -> each.getValue() > now)
                .map(Map.Entry::getKey)
                .toList();
        GenerationRow current = row.current();
        return new Sharing(
                row.generation,
                current.lanes,
                current.filter,
                heardOf,
                row.revision,
                row.wanted() == null ? null : row.wanted().change,
                row.stopAt,
                row.paused,
                row.letGoSeq);
    }

    @Override
    public List<LaneGrant> acquire(long subscriptionId, Subscription subscription, Sharing sharing, int count) {
        long started = ticker.nanos();
        long now = database.micros();
        return database.lanes(database.subscription(subscriptionId), sharing.generation()).stream()
                .filter(lane -> !lane.ended && (lane.owner == null || lane.expiresAt < now))
                .sorted(Comparator.comparingInt(lane -> lane.index))
                .limit(count)
                .map(lane -> take(lane, subscription, sharing, started))
                .toList();
    }

    private LaneGrant take(LaneRow lane, Subscription subscription, Sharing sharing, long started) {
        lane.takeovers += lane.owner == null ? 0 : 1;
        lane.owner = instance;
        lane.leaseEpoch = database.nextEpoch();
        lane.epoch = lane.leaseEpoch;
        lane.expiresAt = expiry(subscription);
        return new LaneGrant(
                subscription.name() + "/" + lane.index,
                lane.subscriptionId,
                new Lease(lane.id, lane.epoch, subscription.leaseTtl(), started, ticker),
                new LaneScope(
                        sharing.filter(),
                        sharing.lanes(),
                        lane.index,
                        0,
                        lane.since == null ? null : ModelDatabase.instant(lane.since),
                        null));
    }

    @Override
    public void advanceChange(long subscriptionId) {
        SubscriptionRow row = database.subscription(subscriptionId);
        GenerationRow wanted = row.wanted();
        if (wanted == null || row.paused) {
            return;
        }
        List<LaneRow> lanes = database.lanes(row, row.generation);
        Snapshot stopAt = row.stopAt;
        if (stopAt != null) {
            if (lanes.stream().allMatch(lane -> lane.mark.isAt(stopAt))) {
                begin(row, wanted, lanes, stopAt);
            }
        } else if (lanes.stream().allMatch(lane -> wanted.change.equals(lane.parkedFor))) {
            row.stopAt = database.snapshot();
            database.replicate();
        }
    }

    private void begin(SubscriptionRow row, GenerationRow wanted, List<LaneRow> former, Snapshot start) {
        wanted.startA = start;
        wanted.startB = start;
        row.generation = wanted.number;
        row.stopAt = null;
        makeLanes(row, wanted);
        List<LaneRow> lanes = database.lanes(row, row.generation);
        for (LaneRow lane : former) {
            for (WaitingRow waiting : new ArrayList<>(lane.rows.values())) {
                int index =
                        Objects.requireNonNull(database.log.get(waiting.seq)).lane(wanted.lanes);
                lanes.get(index).rows.put(waiting.seq, waiting);
            }
            lane.rows.clear();
            lane.ended = true;
        }
        database.replicate();
    }
}
