package dev.posthorn.simulation;

import dev.posthorn.error.PosthornException;
import dev.posthorn.relay.LeaseKeeper;
import dev.posthorn.relay.budget.LaneOrders;
import dev.posthorn.relay.lane.Lane;
import dev.posthorn.relay.lane.LanePorts;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.LaneStore;
import dev.posthorn.relay.store.Ticker;
import dev.posthorn.sink.Sink;
import dev.posthorn.subscription.RelayListener;
import dev.posthorn.subscription.Subscription;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A process that runs a relay: its lease keeper and its lanes, stepped by the {@link World}. */
final class SimulatedInstance {

    /** Who owns a lane, as of one take-over. */
    record Owner(SimulatedInstance instance, String lane, long laneId, long epoch) {
        @Override
        public String toString() {
            return instance.name + " " + lane + " (lane " + laneId + ", epoch " + epoch + ")";
        }
    }

    /** A lane that was started here. */
    record Running(Lane lane, Owner owner) {}

    final String name;
    private final World world;
    private final LeaseKeeper keeper;
    private final List<Running> lanes = new ArrayList<>();
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
        ModelLink link = new ModelLink(world);
        this.keeper = new LeaseKeeper(
                new Hazards(world, new ModelLink(world)).around(new ModelLeaseStore(world.database(), name)),
                subscriptions,
                (grant, subscription, orders) -> start(grant, subscription, orders, link, ticker),
                world.scenario().sessionTtl,
                ticker);
    }

    /** Is told of changed settings without a restart. */
    void serveAnew() {
        keeper.serve(world.subscriptions(this::sink));
    }

    private Sink sink(Receiver receiver) {
        return receiver.sink(this);
    }

    private Lane start(LaneGrant grant, Subscription subscription, LaneOrders orders, ModelLink link, Ticker ticker) {
        Owner owner = new Owner(
                this, grant.name(), grant.lease().laneId(), grant.lease().epoch());
        LaneStore store = new ModelLaneStore(
                world.database(),
                grant,
                (settling, before, settlement) -> world.history().settled(owner, before, settlement));
        Hazards hazards = new Hazards(world, link);
        ModelLink.Bound bound = link.new Bound();
        Lane lane = new Lane(
                grant,
                subscription,
                new LanePorts(
                        hazards.around(new ModelLog(world.database(), grant.scope()), bound),
                        hazards.around(store, bound),
                        new RelayListener() {},
                        ticker,
                        new SplittableRandom(world.below(Integer.MAX_VALUE)),
                        name),
                orders);
        lanes.add(new Running(lane, owner));
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
        for (Running running : List.copyOf(lanes)) {
            if (!gone) {
                world.enter(running.owner());
                attempt("step", running.lane()::step);
                world.leave();
                if (running.lane().isEnded()) {
                    lanes.remove(running);
                    world.history().ended(running.owner(), running.lane().state());
                }
            }
        }
    }

    private void attempt(String what, Runnable work) {
        try {
            work.run();
        } catch (PosthornException e) {
            world.trace(() -> "  " + name + " goes on after: " + e.getMessage());
        } catch (SimulatedCrash crash) {
            world.trace(() -> name + " crashes in a " + what + ", " + crash.getMessage());
            end(world.between(0, 30) * 1_000_000L);
        } catch (RuntimeException bug) {
            throw new BrokenPromise(name + " threw in a " + what + ": " + bug + " at "
                    + List.of(bug.getStackTrace()).subList(0, Math.min(6, bug.getStackTrace().length)));
        } finally {
            world.noteGenerations();
        }
    }

    /** Ends like a crash. */
    void end(long stillArriving) {
        gone = true;
        goneSince = world.nanos();
        lastWords = stillArriving;
        lanes.clear();
    }

    List<Running> lanes() {
        return lanes;
    }
}
