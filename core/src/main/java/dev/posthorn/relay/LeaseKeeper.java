package dev.posthorn.relay;

import dev.posthorn.error.PosthornException;
import dev.posthorn.log.Snapshot;
import dev.posthorn.relay.budget.LaneOrders;
import dev.posthorn.relay.lane.Lane;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.LeaseStore;
import dev.posthorn.relay.store.Look;
import dev.posthorn.relay.store.Sharing;
import dev.posthorn.relay.store.Ticker;
import dev.posthorn.subscription.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds this process's lanes: renews its session, takes over what nobody owns, gives up what is beyond a fair share, hands
 * on what was ordered, and carries out changes of the number of lanes or the filter. Works on a connection of its own, so
 * that a busy lane cannot keep the session from being renewed. Not thread-safe, but for the lanes it hands out and for
 * {@link #wishes}.
 *
 * <p>A pass renews the session and looks for what has changed since the last look: two statements, however many
 * subscriptions there are. Everything else it does only about what has changed, or is not yet as it should be.
 */
public final class LeaseKeeper {

    private static final Logger log = LoggerFactory.getLogger(LeaseKeeper.class);

    /** So many changes are advanced between two looks at the time. */
    private static final int MOST_CHANGES = 100;

    private static final long TRIM_NANOS = 10_000_000_000L;

    /** Starts lanes that were taken over. */
    public interface LaneStarter {
        Lane start(LaneGrant grant, Subscription subscription, LaneOrders orders);
    }

    private final LeaseStore store;
    private final LaneStarter starter;
    private final Ticker ticker;
    private final Duration ttl;
    private final Handover handover;
    private final Wishes wishes;
    private final Roster roster = new Roster();

    private @Nullable ProcessSession session;

    /** Of the last look on this connection, under this session. */
    private @Nullable Snapshot looked;

    /** Whether the database may take this process for the owner of other lanes than it holds. */
    private boolean doubtful;

    /** Whether a pause was seen of which others do not know yet that it is obeyed. */
    private boolean pauseUntold;

    private boolean changesSeen;
    private long trimmed;

    private final Map<String, Holding> byName = new LinkedHashMap<>();
    private final Map<Long, Holding> byId = new LinkedHashMap<>();

    /** Those with something to be done about them, each kind by itself. */
    private final Set<Holding> unregistered = new LinkedHashSet<>();

    private final Set<Holding> unrequested = new LinkedHashSet<>();
    private final Set<Holding> unserved = new LinkedHashSet<>();
    private final Set<Long> overserved = new LinkedHashSet<>();
    private final Set<Holding> leaving = new LinkedHashSet<>();
    private final Set<Holding> paused = new LinkedHashSet<>();
    private final Set<Holding> changing = new LinkedHashSet<>();
    private final Set<Holding> unshared = new LinkedHashSet<>();

    public LeaseKeeper(
            LeaseStore store, List<Subscription> subscriptions, LaneStarter starter, Duration ttl, Ticker ticker) {
        this.store = store;
        this.starter = starter;
        this.ticker = ticker;
        this.ttl = ttl;
        this.handover = new Handover(ticker);
        this.wishes = new Wishes(subscriptions);
    }

    /** What this process is to serve: a change of it is followed by the next pass. */
    public Wishes wishes() {
        return wishes;
    }

    /** Whether a subscription is to begin or to end, or somebody waits for it to be paused. */
    boolean isChanging() {
        return !wishes.areFollowed() || !leaving.isEmpty() || pauseUntold;
    }

    /** One pass over whatever there is to be done. */
    public void pass() {
        List<PosthornException> refused = new ArrayList<>();
        beginAfterLoss();
        keepSession();
        settleDoubt();
        releaseEnded();
        followWishes();
        register(refused);
        sayWhatIsServed();
        look();
        advanceChanges(refused);
        takeOver();
        trim();
        // What the database refuses about one subscription keeps no other from being served; it is told in the end.
        if (!refused.isEmpty()) {
            throw refused.get(0);
        }
    }

    // ---- the session

    /** What was read on another connection is void, even ids: a database that lost its last commits gives them out again. */
    private void beginAfterLoss() {
        if (!store.isCurrent()) {
            store.begin();
            looked = null;
            doubtful = true;
            byName.values().stream().filter(holding -> !holding.leaving).forEach(unregistered::add);
        }
    }

    private void keepSession() {
        Snapshot obeyed = obeyed();
        if (session != null && !session.renew(obeyed)) {
            log.warn(
                    "The session of this process was not renewed in time and has ended; its lanes are free for others");
            forgetSession();
        } else if (session != null) {
            pauseUntold &= obeyed == null;
        }
        if (session == null) {
            session = ProcessSession.begin(store, ttl, ticker);
            unserved.addAll(byId.values());
            doubtful = false;
        }
    }

    /** The last look, if all that it ordered is obeyed. */
    private @Nullable Snapshot obeyed() {
        return paused.stream().allMatch(Holding::isSilent) ? looked : null;
    }

    /** Every lane was lost with it. */
    private void forgetSession() {
        byName.values().forEach(Holding::loseLanes);
        session = null;
        looked = null;
        doubtful = false;
    }

    private void settleDoubt() {
        if (!doubtful) {
            return;
        }
        LeaseStore.Doubted doubted =
                store.reconcile(lanes().stream().map(Lane::lease).toList());
        if (!doubted.lost().isEmpty() || !doubted.ended().isEmpty()) {
            byName.values().forEach(holding -> drop(holding, doubted));
        }
        doubtful = false;
    }

    /** What is not owned belongs to another process, unless it went with its generation: then nobody took it. */
    private void drop(Holding holding, LeaseStore.Doubted doubted) {
        holding.removeIf(lane -> {
            long id = lane.lease().laneId();
            if (doubted.ended().contains(id)) {
                lane.retire();
            } else if (doubted.lost().contains(id)) {
                holding.lose(lane);
            }
            return doubted.ended().contains(id) || doubted.lost().contains(id);
        });
        unshared.add(holding);
    }

    // ---- what is served

    /**
     * A subscription whose settings have changed is one that ends and one that begins: its lanes settle what they have
     * sent and are given up before anybody serves them by the new settings.
     */
    private void followWishes() {
        wishes.takeChanged().forEach(this::follow);
        List<Holding> left = leaving.stream()
                .filter(holding -> !holding.hasLanes() && !holding.isLosing())
                .toList();
        for (Holding holding : left) {
            end(holding);
            follow(holding.subscription.name());
        }
    }

    private void follow(String name) {
        Subscription wish = wishes.of(name);
        Holding holding = byName.get(name);
        if (holding == null) {
            if (wish != null) {
                begin(wish);
            }
        } else if (!holding.leaving && !holding.subscription.equals(wish)) {
            leave(holding);
        }
    }

    private void leave(Holding holding) {
        holding.leave();
        leaving.add(holding);
    }

    private void end(Holding holding) {
        byName.remove(holding.subscription.name());
        if (holding.isThere()) {
            byId.remove(holding.id);
            overserved.add(holding.id);
        }
        concerns().forEach(those -> those.remove(holding));
    }

    private Stream<Set<Holding>> concerns() {
        return Stream.of(unregistered, unrequested, unserved, leaving, paused, changing, unshared);
    }

    private void begin(Subscription subscription) {
        Holding holding = new Holding(subscription, ticker, roster);
        byName.put(subscription.name(), holding);
        unregistered.add(holding);
    }

    private void register(List<PosthornException> refused) {
        if (!unregistered.isEmpty()) {
            LeaseStore.Registered registered = store.register(
                    unregistered.stream().map(holding -> holding.subscription).toList());
            refused.addAll(registered.refused());
            for (Holding holding : List.copyOf(unregistered)) {
                Long id = registered.ids().get(holding.subscription.name());
                found(holding, id == null ? Holding.NOT_THERE : id);
            }
        }
        if (!unrequested.isEmpty()) {
            Map<Long, Subscription> wishes = new LinkedHashMap<>();
            unrequested.forEach(holding -> wishes.put(holding.id, holding.subscription));
            List<PosthornException> said = store.request(wishes);
            refused.addAll(said);
            // After a refusal all are looked at again; who is as wanted by then is not asked for.
            if (said.isEmpty()) {
                unrequested.forEach(holding -> holding.requested = true);
                unrequested.clear();
            }
        }
    }

    private void found(Holding holding, long id) {
        if (holding.isThere() && holding.id != id) {
            forget(holding);
        }
        if (id != Holding.NOT_THERE) {
            unregistered.remove(holding);
            holding.id = id;
            byId.put(id, holding);
            unserved.add(holding);
            if (!holding.requested && !holding.leaving) {
                unrequested.add(holding);
            }
        }
    }

    /** Deleted while this process was not heard of. The next pass registers it, as a start of the process would. */
    private void forget(Holding holding) {
        log.warn(
                "Subscription {} was deleted while this instance served it; it begins again where its settings say, if"
                        + " it is still wanted",
                holding.subscription.name());
        holding.loseLanes();
        byId.remove(holding.id, holding);
        holding.id = Holding.NOT_THERE;
        holding.sharing = null;
        holding.requested = false;
        concerns().forEach(those -> those.remove(holding));
        (holding.leaving ? leaving : unregistered).add(holding);
    }

    private void sayWhatIsServed() {
        if (!unserved.isEmpty() || !overserved.isEmpty()) {
            overserved.removeAll(byId.keySet());
            store.serve(unserved.stream().map(holding -> holding.id).toList(), overserved);
            overserved.clear();
        }
    }

    // ---- what was ordered

    /** Looks at what has changed, and at what was never looked at on this connection. */
    private void look() {
        Look look =
                store.look(looked, unserved.stream().map(holding -> holding.id).toList());
        unserved.clear();
        looked = look.snapshot();
        changesSeen |= !look.subscriptions().isEmpty();
        look.subscriptions().forEach(this::see);
        order();
    }

    private void see(long id, Optional<Sharing> seen) {
        Holding holding = byId.get(id);
        boolean serves = seen.isPresent() && seen.get().sessions().contains(own().id());
        if (holding == null) {
            if (serves) {
                // Said by a statement that came to its end only after this process had thought better of it.
                overserved.add(id);
            }
        } else if (seen.isEmpty()) {
            forget(holding);
        } else if (!serves) {
            unserved.add(holding);
        } else {
            see(holding, seen.get());
        }
    }

    private void see(Holding holding, Sharing seen) {
        holding.see(seen, own().id());
        set(paused, holding, seen.paused());
        pauseUntold |= seen.paused();
        set(changing, holding, holding.isChanging());
        if (!holding.leaving) {
            set(unrequested, holding, !holding.requested);
            unshared.add(holding);
            holding.order(0);
            // Of thousands that another process shares or no longer does, few have anything to look at.
            if (seen.asks()) {
                holding.tend();
            }
        }
    }

    private static void set(Set<Holding> those, Holding holding, boolean belongs) {
        if (belongs) {
            those.add(holding);
        } else {
            those.remove(holding);
        }
    }

    /** Tells lanes beyond the fair share to leave, as many as may at a time. */
    private void order() {
        for (Holding holding : unshared) {
            if (!holding.leaving && holding.excess() > 0) {
                handover.take(holding.order(handover.left()));
            }
        }
        unshared.removeIf(holding -> holding.excess() == 0 && holding.lack() == 0);
    }

    private void advanceChanges(List<PosthornException> refused) {
        List<Holding> all = List.copyOf(changing);
        boolean advanced = false;
        for (int from = 0; from < all.size() && own().renewIfDue(); from += MOST_CHANGES) {
            List<Holding> some = all.subList(from, Math.min(all.size(), from + MOST_CHANGES));
            refused.addAll(
                    store.advance(some.stream().map(holding -> holding.id).toList()));
            advanced = true;
        }
        if (advanced) {
            look();
        }
    }

    // ---- take-over

    private void takeOver() {
        TakeOver taken = TakeOver.of(unshared, store, own());
        if (!taken.isEmpty()) {
            // With orders that are younger than the take-over. A former owner may have stood still for a change that
            // this process had not seen: by older orders the lane would read on past the snapshot where all are to
            // stop.
            look();
            unshared.addAll(taken.start(byId, starter));
            order();
        }
    }

    // ---- what ends

    private void releaseEnded() {
        List<Lane> left = new ArrayList<>();
        for (Lane ended = roster.pollEnded(); ended != null; ended = roster.pollEnded()) {
            remove(ended, left);
        }
        if (!left.isEmpty()) {
            String first = left.get(0).name();
            log.info(
                    left.size() == 1 ? "Lane {}: given up" : "Lane {} and others, {} in all: given up",
                    first,
                    left.size());
            store.release(left.stream().map(Lane::lease).toList());
        }
    }

    private void remove(Lane ended, List<Lane> left) {
        Holding holding = Objects.requireNonNull(byId.get(ended.grant().subscriptionId()));
        holding.remove(ended);
        unshared.add(holding);
        if (ended.state() == Lane.State.LEFT) {
            left.add(ended);
        } else {
            doubtful = true;
        }
    }

    private void trim() {
        if (changesSeen && ticker.nanos() - trimmed > TRIM_NANOS) {
            store.trim();
            trimmed = ticker.nanos();
            changesSeen = false;
        }
    }

    /** Tells every lane to settle and stop. */
    public void leaveAll() {
        lanes().forEach(lane -> lane.order(lane.orders().leaving()));
    }

    /** Gives up the lanes that have ended since; true once none is left. */
    public boolean releaseLeft() {
        beginAfterLoss();
        releaseEnded();
        return lanes().isEmpty();
    }

    /** Takes this process out of the sharing. */
    public void close() {
        beginAfterLoss();
        store.close();
    }

    List<Lane> lanes() {
        return roster.all();
    }

    private ProcessSession own() {
        return Objects.requireNonNull(session);
    }
}
