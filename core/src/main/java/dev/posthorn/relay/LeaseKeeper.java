package dev.posthorn.relay;

import dev.posthorn.error.Outage;
import dev.posthorn.error.PosthornException;
import dev.posthorn.relay.budget.Allowance;
import dev.posthorn.relay.budget.InFlightBudget;
import dev.posthorn.relay.budget.LaneOrders;
import dev.posthorn.relay.budget.LastHeard;
import dev.posthorn.relay.budget.RetryPlaces;
import dev.posthorn.relay.lane.Lane;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.Lease;
import dev.posthorn.relay.store.LeaseStore;
import dev.posthorn.relay.store.Ticker;
import dev.posthorn.subscription.Subscription;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds this instance's lanes: renews their leases, takes over what nobody owns, gives up what is beyond a fair share,
 * and carries out changes of the number of lanes or the filter. Works on a connection of its own, so that a busy lane
 * cannot keep a lease from being renewed. Not thread-safe, but for the lanes it hands out and for {@link #serve}.
 */
public final class LeaseKeeper {

    private static final Logger log = LoggerFactory.getLogger(LeaseKeeper.class);

    /** Starts lanes that were taken over. */
    public interface LaneStarter {
        Lane start(LaneGrant grant, Subscription subscription, LaneOrders orders);
    }

    private final LeaseStore store;
    private final String instance;
    private final LaneStarter starter;
    private final Ticker ticker;
    private final List<Holding> holdings = new ArrayList<>();
    private volatile List<Subscription> wanted;
    private long connection;

    public LeaseKeeper(
            LeaseStore store, String instance, List<Subscription> subscriptions, LaneStarter starter, Ticker ticker) {
        this.store = store;
        this.instance = instance;
        this.starter = starter;
        this.ticker = ticker;
        this.wanted = List.copyOf(subscriptions);
    }

    /** Serves these from now on and no others, as of the next pass. */
    public void serve(List<Subscription> subscriptions) {
        wanted = List.copyOf(subscriptions);
    }

    List<Subscription> served() {
        return wanted;
    }

    /** Whether a subscription is to begin or to end, or somebody waits for it to be paused. */
    boolean isChanging() {
        List<Subscription> now = wanted;
        return holdings.size() != now.size()
                || holdings.stream().anyMatch(holding -> holding.leaving || (holding.paused && !holding.quiet));
    }

    /** One pass over all subscriptions. */
    public void pass() {
        List<Subscription> now = wanted;
        lookAgainAfterLoss();
        endUnwanted(now);
        begin(now);
        keepAll();
    }

    /** What the database refuses about one subscription keeps no other from being served; it is told in the end. */
    private void keepAll() {
        PosthornException refusal = null;
        for (Holding holding : holdings) {
            try {
                if (!holding.leaving) {
                    keep(holding);
                }
            } catch (PosthornException e) {
                if (Outage.isOneOrCancelled(e)) {
                    throw e;
                }
                refusal = e;
            }
        }
        if (refusal != null) {
            throw refusal;
        }
    }

    /** A database that lost its last commits may have given a subscription's id to another. */
    private void lookAgainAfterLoss() {
        long now = store.connection();
        if (now != connection) {
            connection = now;
            holdings.forEach(holding -> holding.known = false);
        }
    }

    /**
     * A subscription whose settings have changed is one that ends and one that begins: its lanes settle what they have
     * sent and are given up before anybody serves them by the new settings.
     */
    private void endUnwanted(List<Subscription> now) {
        for (Holding holding : List.copyOf(holdings)) {
            if (!holding.leaving && !now.contains(holding.subscription)) {
                holding.leaving = true;
                holding.lanes.values().forEach(lane -> lane.order(lane.orders().leaving()));
            }
            if (holding.leaving) {
                renew(holding);
                end(holding, now);
            }
        }
    }

    private void end(Holding holding, List<Subscription> now) {
        if (holding.lanes.isEmpty()) {
            if (holding.id != LeaseStore.NOT_THERE && now.stream().noneMatch(holding::isFor)) {
                store.disappear(holding.id);
            }
            holdings.remove(holding);
        }
    }

    private void begin(List<Subscription> now) {
        now.stream()
                .filter(subscription -> holdings.stream().noneMatch(holding -> holding.isFor(subscription)))
                .map(subscription -> new Holding(subscription, ticker))
                .forEach(holdings::add);
    }

    private void keep(Holding holding) {
        if (!register(holding)) {
            return;
        }
        boolean silent = holding.lanes.values().stream().allMatch(Lane::isSilent);
        if (store.appear(holding.id, holding.subscription, silent)) {
            // Whoever has not looked whether it is paused has said nothing about it.
            holding.quiet = silent && holding.paused;
            renew(holding);
            share(holding);
        } else {
            forget(holding);
        }
    }

    private boolean register(Holding holding) {
        if (!holding.known) {
            long id = store.register(holding.subscription);
            if (holding.id != LeaseStore.NOT_THERE && id != holding.id) {
                forget(holding);
            }
            holding.id = id;
            holding.known = id != LeaseStore.NOT_THERE;
        }
        if (holding.id != LeaseStore.NOT_THERE && !holding.requested) {
            store.request(holding.id, holding.subscription);
            holding.requested = true;
        }
        return holding.id != LeaseStore.NOT_THERE;
    }

    /** Deleted while this instance was not heard of. The next pass registers it, as a start of the instance would. */
    private static void forget(Holding holding) {
        log.warn(
                "Subscription {} was deleted while this instance served it; it begins again where its settings say, if"
                        + " it is still wanted",
                holding.subscription.name());
        holding.lanes.values().forEach(lane -> lane.lease().lose());
        holding.lanes.clear();
        holding.id = LeaseStore.NOT_THERE;
        holding.known = false;
        holding.generation = 0;
        holding.requested = false;
    }

    private void renew(Holding holding) {
        releaseEnded(holding);
        long started = ticker.nanos();
        List<Lease> leases = holding.lanes.values().stream().map(Lane::lease).toList();
        Set<Long> renewed = leases.isEmpty() ? Set.of() : store.renew(leases, holding.subscription);
        leases.stream().filter(lease -> renewed.contains(lease.laneId())).forEach(lease -> lease.renewed(started));
        drop(
                holding,
                leases.stream()
                        .filter(lease -> !renewed.contains(lease.laneId()))
                        .toList());
    }

    /** What was not renewed belongs to another instance, unless it went with its generation: then nobody took it. */
    private void drop(Holding holding, List<Lease> notRenewed) {
        Set<Long> ended = notRenewed.isEmpty() ? Set.of() : store.ended(notRenewed);
        for (Lease lease : notRenewed) {
            Lane lane = holding.lanes.remove(lease.laneId());
            if (lane != null && ended.contains(lease.laneId())) {
                lane.retire();
            } else {
                lease.lose();
            }
        }
    }

    private void releaseEnded(Holding holding) {
        for (Iterator<Lane> lanes = holding.lanes.values().iterator(); lanes.hasNext(); ) {
            Lane lane = lanes.next();
            if (lane.state() == Lane.State.LEFT) {
                store.release(lane.lease());
                log.info("Lane {}: given up", lane.name());
            }
            if (lane.isEnded()) {
                lanes.remove();
            }
        }
    }

    private void share(Holding holding) {
        LeaseStore.Sharing sharing = store.sharing(holding.id);
        if (sharing.isChanging()) {
            store.advanceChange(holding.id);
            sharing = store.sharing(holding.id);
        }
        holding.paused = sharing.paused();
        // A database that was set back to before the wish has forgotten it.
        holding.requested = sharing.revision() >= holding.subscription.revision();
        endFormerGeneration(holding, sharing.generation());
        int quota = sharing.quota(instance, holding.id);
        int kept = (int) holding.lanes.values().stream()
                .filter(lane -> !lane.orders().leave())
                .count();
        int leaving = Math.max(0, kept - quota);
        LaneOrders orders = orders(holding, sharing, quota);
        for (Lane lane : holding.lanes.values()) {
            lane.order(lane.orders().leave() || leaving-- > 0 ? orders.leaving() : orders);
        }
        if (kept < quota) {
            takeOver(holding, sharing, quota - kept, quota);
        }
    }

    /** Its lanes have all stopped at one snapshot; without orders to stand still they would read on past it. */
    private static void endFormerGeneration(Holding holding, int generation) {
        if (holding.generation != generation) {
            holding.lanes.values().forEach(Lane::retire);
            holding.lanes.clear();
            holding.generation = generation;
        }
    }

    private void takeOver(Holding holding, LeaseStore.Sharing sharing, int count, int quota) {
        List<LaneGrant> grants = store.acquire(holding.id, holding.subscription, sharing, count);
        if (grants.isEmpty()) {
            return;
        }
        LeaseStore.Sharing now = store.sharing(holding.id);
        if (now.generation() == sharing.generation()) {
            grants.forEach(grant -> start(holding, grant, orders(holding, now, quota)));
        }
    }

    /**
     * With orders that are younger than the take-over. A former owner may have stood still for a change that was wanted
     * only after this instance had looked: by older orders the lane would read on past the snapshot where all are to
     * stop.
     */
    private void start(Holding holding, LaneGrant grant, LaneOrders orders) {
        log.info("Lane {}: taken over (epoch {})", grant.name(), grant.lease().epoch());
        Lane former = holding.lanes.put(grant.lease().laneId(), starter.start(grant, holding.subscription, orders));
        if (former != null) {
            // Its lease ended between the renewal and here: the lane is this instance's again, under another epoch.
            former.lease().lose();
        }
    }

    private static LaneOrders orders(Holding holding, LeaseStore.Sharing sharing, int quota) {
        int lanesHere = Math.max(1, quota);
        return new LaneOrders(
                Math.max(1, holding.subscription.inFlightLimit() / lanesHere),
                Math.max(1, holding.subscription.inFlightBytes() / lanesHere),
                Math.max(1, holding.subscription.sink().concurrency() / lanesHere),
                holding.room,
                holding.allowance,
                holding.lastHeard,
                holding.retryPlaces,
                sharing.change(),
                sharing.stopAt(),
                false,
                sharing.paused(),
                sharing.letGoSeq());
    }

    /** Tells every lane to settle and stop. */
    public void leaveAll() {
        lanes().forEach(lane -> lane.order(lane.orders().leaving()));
    }

    /** Gives up the lanes that have ended since; true once none is left. */
    public boolean releaseLeft() {
        holdings.forEach(this::releaseEnded);
        return lanes().findAny().isEmpty();
    }

    /** Takes this instance out of the sharing. */
    public void disappear() {
        store.disappear();
    }

    Stream<Lane> lanes() {
        return holdings.stream().flatMap(holding -> List.copyOf(new ArrayList<>(holding.lanes.values())).stream());
    }

    /** A subscription and the lanes of it that this instance owns. */
    private static final class Holding {

        private final Subscription subscription;
        private final Map<Long, Lane> lanes = new LinkedHashMap<>();
        private final InFlightBudget room;
        private final Allowance allowance;
        private final LastHeard lastHeard;
        private final RetryPlaces retryPlaces;
        private long id;

        /** Whether the id was found on this connection. */
        private boolean known;

        private int generation;
        private boolean requested;
        private boolean leaving;

        /** As it was at the last look. */
        private boolean paused;

        /** Whether it is known to others that this instance obeys the pause. */
        private boolean quiet;

        Holding(Subscription subscription, Ticker ticker) {
            this.subscription = subscription;
            this.room = new InFlightBudget(subscription.inFlightLimit());
            this.allowance = new Allowance(subscription.ratePerSecond(), ticker);
            this.lastHeard = new LastHeard(ticker);
            this.retryPlaces = new RetryPlaces(subscription.sink().concurrency());
        }

        boolean isFor(Subscription other) {
            return subscription.name().equals(other.name());
        }
    }
}
