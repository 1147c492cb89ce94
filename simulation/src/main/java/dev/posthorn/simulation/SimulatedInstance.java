package dev.posthorn.simulation;

import dev.posthorn.error.PosthornException;
import dev.posthorn.log.Mark;
import dev.posthorn.relay.Crew;
import dev.posthorn.relay.LeaseKeeper;
import dev.posthorn.relay.Stepping;
import dev.posthorn.relay.budget.Deliveries;
import dev.posthorn.relay.budget.LaneOrders;
import dev.posthorn.relay.front.Front;
import dev.posthorn.relay.front.FrontPorts;
import dev.posthorn.relay.lane.Lane;
import dev.posthorn.relay.lane.LanePorts;
import dev.posthorn.relay.store.FrontStore;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.LaneStore;
import dev.posthorn.relay.store.Ticker;
import dev.posthorn.simulation.Tables.LaneRow;
import dev.posthorn.sink.Sink;
import dev.posthorn.subscription.RelayListener;
import dev.posthorn.subscription.Subscription;
import java.io.Serial;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** A process that runs a relay: its lease keeper and its lanes, stepped by the {@link World}. */
final class SimulatedInstance {

    /** Who owns a lane, as of one take-over. */
    record Owner(SimulatedInstance instance, String lane, long laneId, long epoch) {
        @Override
        public String toString() {
            return instance.name + " " + lane + " (lane " + laneId + ", epoch " + epoch + ")";
        }
    }

    private static final long SECOND = 1_000_000_000;

    final String name;
    private final World world;
    private final LeaseKeeper keeper;
    private final Deliveries deliveries;
    private final List<Berth> berths = new ArrayList<>();
    private final Map<Lane, Owner> lanes = new LinkedHashMap<>();

    /** All that there ever were, by epoch. */
    private final Map<Long, Owner> owners = new HashMap<>();

    private final Map<Lane, Subscription> served = new HashMap<>();

    private final Map<Owner, LaneStore> stores = new HashMap<>();
    private boolean gone;
    private long goneSince;
    private long lastWords;
    private long frozenUntil;
    private boolean stopping;
    private boolean passing;
    private long stopBy;
    private long nextPass;

    SimulatedInstance(World world, String name) {
        this.world = world;
        this.name = name;
        Ticker ticker = world::nanos;
        List<Subscription> subscriptions = world.subscriptions(this::sink);
        this.deliveries = new Deliveries(world.scenario().deliveries);
        for (int i = 0; i < world.scenario().crews; i++) {
            berths.add(new Berth(ticker));
        }
        this.keeper = new LeaseKeeper(
                new Hazards(world, new ModelLink(world)).around(new ModelLeaseStore(world.database(), name)),
                subscriptions,
                (grant, subscription, orders) -> start(grant, subscription, orders, ticker),
                world.scenario().sessionTtl,
                ticker);
    }

    /** A connection, and the lanes on it. */
    private final class Berth {
        private final ModelLink link = new ModelLink(world);
        private final ModelLink.Standings standings;
        private final Crew crew;

        Berth(Ticker ticker) {
            Front front = front(link, ticker);
            this.standings = link.new Standings(front::reads);
            this.crew = new Crew(front, this::prefetch, ticker, new Stepped());
        }

        private void prefetch(List<LaneGrant> beginning) {
            SimulatedInstance.this.prefetch(link, standings, beginning);
        }
    }

    private Front front(ModelLink link, Ticker ticker) {
        Hazards hazards = new Hazards(world, link);
        ModelLink.Bound bound = link.new Bound();
        FrontStore store = new ModelFrontStore(world.database(), new ModelFrontStore.Witness() {
            @Override
            public void carried(LaneRow lane, Mark before) {
                Owner owner = owners.get(lane.epoch);
                if (owner != null) {
                    world.history().carried(owner, before);
                }
            }

            @Override
            public void boarded(LaneRow lane) {
                world.history().boarded(lane);
            }
        });
        return new Front(new FrontPorts(
                hazards.around(store, bound, () -> List.copyOf(lanes.values())),
                scope -> hazards.around(new ModelLog(world.database(), scope), bound),
                ticker,
                new SplittableRandom(world.below(Integer.MAX_VALUE)),
                world.scenario().portions));
    }

    /** Is told of changed settings without a restart. */
    void serveAnew() {
        keeper.wishes().replace(world.subscriptions(this::sink));
    }

    private Sink sink(Receiver receiver) {
        return receiver.sink(this);
    }

    private Lane start(LaneGrant grant, Subscription subscription, LaneOrders orders, Ticker ticker) {
        Owner owner = new Owner(
                this, grant.name(), grant.lease().laneId(), grant.lease().epoch());
        LaneStore store = new ModelLaneStore(
                world.database(),
                grant,
                (settling, before, settlement) -> world.history().settled(owner, before, settlement));
        Berth berth = berths.get(world.below(berths.size()));
        Hazards hazards = new Hazards(world, berth.link);
        ModelLink.Bound bound = berth.link.new Bound();
        Lane lane = new Lane(
                grant,
                subscription,
                new LanePorts(
                        hazards.around(new ModelLog(world.database(), grant.scope()), bound),
                        hazards.around(store, bound, berth.standings),
                        berth.crew.ride(),
                        deliveries,
                        new RelayListener() {},
                        ticker,
                        new SplittableRandom(world.below(Integer.MAX_VALUE)),
                        name),
                orders);
        lanes.put(lane, owner);
        served.put(lane, subscription);
        owners.put(owner.epoch(), owner);
        stores.put(owner, store);
        berth.crew.add(lane);
        world.trace(() -> "  " + owner + " begins");
        return lane;
    }

    boolean isGone() {
        return gone;
    }

    long goneSince() {
        return goneSince;
    }

    /** For how long what it had sent goes on arriving. */
    long lastWords() {
        return lastWords;
    }

    boolean isAwake() {
        return !gone && !passing && world.nanos() >= frozenUntil;
    }

    /** Whether it stands still in the middle of a pass. */
    boolean isPassing() {
        return passing;
    }

    boolean isStopping() {
        return stopping;
    }

    boolean isPassDue() {
        return world.nanos() >= nextPass;
    }

    void freeze(long until) {
        frozenUntil = until;
    }

    /** Its keeper is held up, while its lanes go on. */
    void delayPass(long until) {
        nextPass = until;
    }

    /** What it does between two passes of the keeper is to step its lanes. */
    void pass() {
        nextPass = world.nanos() + world.between(100, 1000) * 1_000_000L;
        passing = true;
        attempt("pass", stopping ? this::leave : keeper::pass);
        passing = false;
    }

    private void leave() {
        if (keeper.releaseLeft()) {
            keeper.close();
            end(0);
        } else if (world.nanos() > stopBy) {
            end(0);
        }
    }

    /** Begins to stop cleanly. */
    void stop(long patience) {
        stopping = true;
        stopBy = world.nanos() + patience;
        keeper.leaveAll();
    }

    void step() {
        for (Berth berth : berths) {
            if (!gone && (world.isQuiet() || berths.size() == 1 || world.chance(0.7))) {
                var unused = berth.crew.step();
            }
        }
    }

    /** Only lanes that have something to do are stepped: one that is not woken when it should be stays behind. */
    private final class Stepped implements Stepping {

        private long pause;

        @Override
        public long step(Lane lane) {
            Owner owner = lanes.get(lane);
            pause = SECOND;
            if (owner != null) {
                world.enter(owner);
                attempt("step", () -> pause = lane.step());
                world.leave();
                if (lane.isEnded()) {
                    lanes.remove(lane);
                    world.history().ended(owner, lane.state());
                }
            }
            return pause;
        }

        @Override
        public void step(Front front) {
            if (!gone) {
                attempt("step of the front", front::step);
            }
        }

        @Override
        public void failed(Lane lane, Throwable bug) {
            failed(bug);
        }

        @Override
        public void failed(Throwable bug) {
            throw bug instanceof Error error ? error : new AssertionError(bug);
        }
    }

    /** Whose room is not all free, though nothing is in hand. */
    @Nullable
    Supplier<String> taken(ToIntFunction<Subscription> whole) {
        for (Lane lane : lanes.keySet()) {
            int left = lane.orders().room().left();
            int all = whole.applyAsInt(Objects.requireNonNull(served.get(lane)));
            if (left != all) {
                return () -> name + " has " + left + " free places of " + all + " for " + lane.name();
            }
        }
        return null;
    }

    private void prefetch(ModelLink link, ModelLink.Standings standings, List<LaneGrant> beginning) {
        Map<Owner, LaneStore> some = new LinkedHashMap<>();
        for (LaneGrant grant : beginning) {
            Owner owner = owners.get(grant.lease().epoch());
            if (owner != null && lanes.containsValue(owner)) {
                some.put(owner, Objects.requireNonNull(stores.get(owner)));
            }
        }
        try {
            standings.prefetch(some, new Hazards(world, link));
        } catch (Crash crash) {
            crash("prefetch", crash);
        }
    }

    private void attempt(String what, Runnable work) {
        try {
            work.run();
        } catch (PosthornException e) {
            world.trace(() -> "  " + name + " goes on after: " + e.getMessage());
        } catch (Crash crash) {
            crash(what, crash);
        } catch (RuntimeException bug) {
            throw new Simulation.BrokenPromise(name + " threw in a " + what + ": " + bug + " at "
                    + List.of(bug.getStackTrace()).subList(0, Math.min(6, bug.getStackTrace().length)));
        } finally {
            world.noteGenerations();
        }
    }

    private void crash(String what, Crash crash) {
        world.trace(() -> name + " crashes in a " + what + ", " + crash.getMessage());
        end(world.between(0, 30) * 1_000_000L);
    }

    /** Ends like a crash. */
    void end(long stillArriving) {
        gone = true;
        goneSince = world.nanos();
        lastWords = stillArriving;
        lanes.clear();
    }

    /** The end of an instance in the middle of whatever it was doing. An error, so that nothing on the way stops it. */
    static final class Crash extends Error {

        @Serial
        private static final long serialVersionUID = 1L;

        Crash(String where) {
            super(where, null, false, false);
        }
    }
}
