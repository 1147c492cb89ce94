package dev.posthorn.simulation;

import dev.posthorn.error.PosthornException;
import dev.posthorn.log.LaneScope;
import dev.posthorn.log.Mark;
import dev.posthorn.log.Snapshot;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.Lease;
import dev.posthorn.relay.store.LeaseStore;
import dev.posthorn.relay.store.Look;
import dev.posthorn.relay.store.SessionTrust;
import dev.posthorn.relay.store.Sharing;
import dev.posthorn.simulation.Tables.FrontRow;
import dev.posthorn.simulation.Tables.GenerationRow;
import dev.posthorn.simulation.Tables.LaneRow;
import dev.posthorn.simulation.Tables.SessionRow;
import dev.posthorn.simulation.Tables.SubscriptionRow;
import dev.posthorn.simulation.Tables.WaitingRow;
import dev.posthorn.subscription.StartAt;
import dev.posthorn.subscription.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Keeps subscriptions, lanes and sessions in a {@link ModelDatabase}, by the same rules as in PostgreSQL. */
final class ModelLeaseStore implements LeaseStore {

    private final ModelDatabase database;
    private final String instance;

    /** This process's session, and the connection on which it speaks. */
    private UUID id;

    private long link;
    private boolean adopts;

    ModelLeaseStore(ModelDatabase database, String instance) {
        this(database, instance, new UUID(0, 0), 0, false);
    }

    private ModelLeaseStore(ModelDatabase database, String instance, UUID id, long link, boolean adopts) {
        this.database = database;
        this.instance = instance;
        this.id = id;
        this.link = link;
        this.adopts = adopts;
    }

    /** As a server goes on with it that was asked on a connection which is lost. */
    ModelLeaseStore asNow() {
        return new ModelLeaseStore(database, instance, id, link, adopts);
    }

    @Override
    public void begin() {
        link = database.nextEpoch();
        adopts = true;
    }

    @Override
    public boolean isCurrent() {
        return true;
    }

    @Override
    public Registered register(List<Subscription> subscriptions) {
        Map<String, Long> ids = new HashMap<>();
        subscriptions.forEach(subscription -> ids.put(subscription.name(), register(subscription)));
        return new Registered(ids, List.of());
    }

    private long register(Subscription subscription) {
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
        made.pausedTxid = database.changed(made.id);
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
    public List<PosthornException> request(Map<Long, Subscription> wishes) {
        wishes.forEach((subscription, wanted) -> {
            if (database.find(subscription) != null) {
                request(database.subscription(subscription), wanted);
            }
        });
        return List.of();
    }

    private void request(SubscriptionRow row, Subscription subscription) {
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
        database.changed(row.id);
        database.replicate();
    }

    @Override
    public UUID open(Duration ttl) {
        id = new UUID(1, database.nextEpoch());
        adopts = false;
        database.sessions.put(id, new SessionRow(id, instance, link, expiry(ttl), database.snapshot()));
        tidy();
        return id;
    }

    private long expiry(Duration ttl) {
        return database.micros() + ttl.toNanos() / 1000;
    }

    @Override
    public boolean renew(Duration ttl, @Nullable Snapshot obeys) {
        SessionRow own = database.session(id);
        if (own == null || own.expiresAt <= database.micros() || (own.link != link && !adopts)) {
            return false;
        }
        own.link = link;
        own.expiresAt = expiry(ttl);
        own.obeys = obeys == null ? own.obeys : obeys;
        adopts = false;
        tidy();
        return true;
    }

    private void tidy() {
        List<SessionRow> expired = database.sessions.values().stream()
                .filter(session -> session.expiresAt < database.micros())
                .toList();
        expired.forEach(this::end);
    }

    private void end(SessionRow session) {
        database.sessions.remove(session.id);
        session.served.forEach(database::changed);
    }

    /** This session, if it is alive and speaks on this connection. */
    private @Nullable SessionRow mine() {
        SessionRow own = database.session(id);
        return own != null && own.link == link && own.expiresAt > database.micros() ? own : null;
    }

    @Override
    public Doubted reconcile(Collection<Lease> held) {
        Map<Long, Lease> byLane = new HashMap<>();
        held.forEach(lease -> byLane.put(lease.laneId(), lease));
        for (LaneRow lane : mine() == null ? List.<LaneRow>of() : database.lanes.values()) {
            Lease lease = byLane.get(lane.id);
            if (id.equals(lane.session) && (lease == null || lease.epoch() != lane.ownerEpoch)) {
                lane.session = null;
            }
        }
        Set<Long> lost = new HashSet<>();
        Set<Long> ended = new HashSet<>();
        for (Lease lease : held) {
            LaneRow lane = database.lanes.get(lease.laneId());
            if (lane == null || lane.ended) {
                ended.add(lease.laneId());
            } else if (owned(lease) == null) {
                lost.add(lease.laneId());
            }
        }
        return new Doubted(lost, ended);
    }

    private @Nullable LaneRow owned(Lease lease) {
        LaneRow lane = database.lanes.get(lease.laneId());
        boolean owned = lane != null && !lane.ended && lane.ownerEpoch == lease.epoch() && id.equals(lane.session);
        return owned ? lane : null;
    }

    @Override
    public void serve(Collection<Long> begun, Collection<Long> ended) {
        SessionRow own = database.session(id);
        if (own != null) {
            begun.stream()
                    .filter(subscription -> database.find(subscription) != null)
                    .filter(own.served::add)
                    .forEach(database::changed);
            ended.stream().filter(own.served::remove).forEach(database::changed);
        }
    }

    @Override
    public Look look(@Nullable Snapshot since, Collection<Long> others) {
        Set<Long> asked = new TreeSet<>(others);
        if (since == null) {
            SessionRow own = database.session(id);
            asked.addAll(own == null ? Set.of() : own.served);
        } else {
            database.changes.stream()
                    .filter(change -> !database.visibility.sees(since, change.txid()))
                    .forEach(change -> asked.add(change.subscriptionId()));
        }
        Map<Long, Optional<Sharing>> seen = new TreeMap<>();
        asked.forEach(subscription -> seen.put(
                subscription, Optional.ofNullable(database.find(subscription)).map(this::sharing)));
        return new Look(database.snapshot(), seen);
    }

    private Sharing sharing(SubscriptionRow row) {
        List<UUID> serving = database.sessions.values().stream()
                .filter(session -> session.served.contains(row.id))
                .sorted(Comparator.comparing((SessionRow session) -> session.instance)
                        .thenComparing(session -> session.id))
                .map(session -> session.id)
                .toList();
        GenerationRow current = row.current();
        return new Sharing(
                row.generation,
                current.lanes,
                current.filter,
                serving,
                row.revision,
                row.wanted() == null ? null : row.wanted().change,
                row.stopAt,
                row.paused,
                row.letGoSeq,
                database.asks(row));
    }

    @Override
    public List<LaneGrant> acquire(List<Claim> claims, SessionTrust trust) {
        List<LaneGrant> grants = new ArrayList<>();
        endFronts();
        for (Claim claim : mine() == null ? List.<Claim>of() : claims) {
            SubscriptionRow row = database.find(claim.subscriptionId());
            if (row != null) {
                database.lanes(row, claim.sharing().generation()).stream()
                        .filter(lane -> !lane.ended && database.session(lane.session) == null)
                        .filter(lane ->
                                lane.front == null || Objects.requireNonNull(database.fronts.get(lane.front)).ended)
                        .sorted(Comparator.comparingInt(lane -> lane.index))
                        .limit(claim.count())
                        .forEach(lane -> grants.add(take(lane, claim.subscription(), claim.sharing(), trust)));
            }
        }
        return grants;
    }

    /** Those of sessions that have ended, and those that carry a lane which was given up. */
    private void endFronts() {
        for (FrontRow front : database.fronts.values()) {
            front.ended |= database.session(front.session) == null
                    || database.lanes.values().stream()
                            .anyMatch(lane -> !lane.ended && lane.session == null && front.id.equals(lane.front));
        }
    }

    private LaneGrant take(LaneRow lane, Subscription subscription, Sharing sharing, SessionTrust trust) {
        lane.takeovers += lane.session == null ? 0 : 1;
        if (lane.front != null) {
            database.getOff(lane, Objects.requireNonNull(database.fronts.get(lane.front)), lane.turn);
        }
        lane.session = id;
        lane.ownerEpoch = database.nextEpoch();
        lane.epoch = lane.ownerEpoch;
        return new LaneGrant(
                subscription.name() + "/" + lane.index,
                lane.subscriptionId,
                new Lease(lane.id, lane.epoch, trust),
                new LaneScope(
                        sharing.filter(),
                        sharing.lanes(),
                        lane.index,
                        0,
                        lane.since == null ? null : ModelDatabase.instant(lane.since),
                        null));
    }

    @Override
    public void release(Collection<Lease> leases) {
        for (Lease lease : leases) {
            LaneRow lane = owned(lease);
            if (lane != null) {
                lane.session = null;
            }
        }
    }

    @Override
    public void trim() {
        long seen = database.sessions.values().stream()
                .mapToLong(session -> database.visibility.of(session.obeys).xmin())
                .min()
                .orElse(0);
        database.changes.removeIf(change -> change.txid() < seen);
    }

    @Override
    public void close() {
        SessionRow own = database.session(id);
        if (own != null) {
            own.served.forEach(database::changed);
            own.served.clear();
            if (database.lanes.values().stream().noneMatch(lane -> !lane.ended && id.equals(lane.session))) {
                database.sessions.remove(id);
            }
        }
    }

    @Override
    public List<PosthornException> advance(Collection<Long> subscriptionIds) {
        subscriptionIds.stream()
                .map(database::find)
                .filter(Objects::nonNull)
                .forEach(row -> advance(Objects.requireNonNull(row)));
        return List.of();
    }

    private void advance(SubscriptionRow row) {
        GenerationRow wanted = row.wanted();
        if (wanted == null || row.paused) {
            return;
        }
        List<LaneRow> lanes = database.lanes(row, row.generation);
        Snapshot stopAt = row.stopAt;
        if (stopAt != null) {
            if (lanes.stream().allMatch(lane -> lane.front == null && lane.mark.isAt(stopAt))) {
                begin(row, wanted, lanes, stopAt);
            }
        } else if (lanes.stream().allMatch(lane -> lane.front == null && wanted.change.equals(lane.parkedFor))) {
            row.stopAt = database.snapshot();
            database.changed(row.id);
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
        database.changed(row.id);
        database.replicate();
    }
}
