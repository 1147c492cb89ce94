package dev.posthorn.relay;

import dev.posthorn.relay.budget.Allowance;
import dev.posthorn.relay.budget.InFlightBudget;
import dev.posthorn.relay.budget.LaneOrders;
import dev.posthorn.relay.budget.LastHeard;
import dev.posthorn.relay.budget.RetryPlaces;
import dev.posthorn.relay.lane.Lane;
import dev.posthorn.relay.store.LeaseStore;
import dev.posthorn.relay.store.Sharing;
import dev.posthorn.relay.store.Ticker;
import dev.posthorn.subscription.Subscription;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A subscription, how it stood at the last look, and the lanes of it that this process owns. */
final class Holding {

    /** The id of a subscription that was not found. */
    static final long NOT_THERE = 0;

    final Subscription subscription;
    private final Map<Long, Lane> lanes = new LinkedHashMap<>();
    private final Roster roster;
    private final List<Lane> lost = new ArrayList<>();
    private final InFlightBudget room;
    private final Allowance allowance;
    private final LastHeard lastHeard;
    private final RetryPlaces retryPlaces;

    long id = NOT_THERE;

    /** Whether its filter and lanes were asked for, and the store has not forgotten it since. */
    boolean requested;

    boolean leaving;

    /** As of the last look; null before the first. */
    @Nullable
    Sharing sharing;

    private int quota;

    /** @param roster where its lanes are listed with those of all others */
    Holding(Subscription subscription, Ticker ticker, Roster roster) {
        this.subscription = subscription;
        this.roster = roster;
        this.room = new InFlightBudget(subscription.inFlightLimit());
        this.allowance = new Allowance(subscription.ratePerSecond(), ticker);
        this.lastHeard = new LastHeard(ticker);
        this.retryPlaces = new RetryPlaces(subscription.sink().concurrency());
    }

    boolean isThere() {
        return id != NOT_THERE;
    }

    boolean isChanging() {
        return sharing != null && sharing.isChanging() && !leaving;
    }

    /** Whether nothing is on its way, and nothing is sent by the orders that its lanes have. */
    boolean isSilent() {
        return lanes.values().stream().allMatch(Lane::isSilent);
    }

    /** From here on it settles what it has sent, and gives its lanes up. */
    void leave() {
        leaving = true;
        lanes.values().forEach(lane -> lane.order(lane.orders().leaving()));
    }

    /**
     * What was seen of it. Lanes of a former generation have all stopped at one snapshot; without orders to stand still
     * they would read on past it.
     */
    void see(Sharing seen, UUID session) {
        if (sharing != null && sharing.generation() != seen.generation()) {
            removeAll(Lane::retire);
        }
        sharing = seen;
        quota = seen.quota(session, id);
        // A database that was set back to before the wish has forgotten it.
        requested = seen.revision() >= subscription.revision();
    }

    /** Gives its lanes the newest orders, and tells up to so many that are beyond its share to leave. Returns how many. */
    int order(int mostToLeave) {
        int told = Math.min(mostToLeave, excess());
        int left = told;
        LaneOrders orders = orders();
        for (Lane lane : lanes.values()) {
            boolean leaves = lane.orders().leave() || left-- > 0;
            lane.order(leaves ? orders.leaving() : orders);
        }
        return told;
    }

    /** Has its lanes look at what was asked of them. */
    void tend() {
        lanes.values().forEach(Lane::tend);
    }

    private int kept() {
        return (int)
                lanes.values().stream().filter(lane -> !lane.orders().leave()).count();
    }

    /** How many lanes it has that are others' by right. */
    int excess() {
        return Math.max(0, kept() - quota);
    }

    /** How many lanes it lacks. */
    int lack() {
        return leaving || sharing == null ? 0 : Math.max(0, quota - kept());
    }

    LeaseStore.Claim claim() {
        return new LeaseStore.Claim(id, subscription, Objects.requireNonNull(sharing), lack());
    }

    /** Whether lanes that were claimed so may be started. */
    boolean stands(LeaseStore.@Nullable Claim claim) {
        return claim != null
                && !leaving
                && sharing != null
                && sharing.generation() == claim.sharing().generation();
    }

    LaneOrders orders() {
        Sharing now = Objects.requireNonNull(sharing);
        int lanesHere = Math.max(1, quota);
        return new LaneOrders(
                Math.max(1, subscription.inFlightLimit() / lanesHere),
                Math.max(1, subscription.inFlightBytes() / lanesHere),
                Math.max(1, subscription.sink().concurrency() / lanesHere),
                room,
                allowance,
                lastHeard,
                retryPlaces,
                now.change(),
                now.stopAt(),
                false,
                now.paused(),
                now.letGoSeq());
    }

    boolean hasLanes() {
        return !lanes.isEmpty();
    }

    /** Returns the one that it had in its place. */
    @Nullable
    Lane add(Lane lane) {
        Lane former = lanes.put(lane.lease().laneId(), lane);
        if (former != null) {
            roster.remove(former);
        }
        roster.add(lane);
        return former;
    }

    void remove(Lane lane) {
        lanes.remove(lane.lease().laneId(), lane);
        roster.remove(lane);
    }

    void removeIf(Predicate<Lane> which) {
        List.copyOf(lanes.values()).stream().filter(which).forEach(this::remove);
    }

    private void removeAll(Consumer<Lane> each) {
        removeIf(lane -> {
            each.accept(lane);
            return true;
        });
    }

    /** Whoever owns its lanes now, it is not this process. */
    void loseLanes() {
        removeAll(this::lose);
    }

    /** Whoever owns it now, it is not this process. It is for the caller to take it out of the lanes. */
    void lose(Lane lane) {
        lane.lose();
        lost.add(lane);
    }

    /** Whether a lane that was lost has something in its hands: until it has ended, no other is begun beside it. */
    boolean isLosing() {
        lost.removeIf(lane -> lane.isEnded() || lane.isEmptyHanded());
        return !lost.isEmpty();
    }
}
