package dev.posthorn.simulation;

import dev.posthorn.relay.store.LeaseStore;
import dev.posthorn.simulation.Tables.GenerationRow;
import dev.posthorn.simulation.Tables.SubscriptionRow;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.Sink;
import dev.posthorn.subscription.Subscription;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * People who change filters and numbers of lanes, and change them back, at any time. They do so as callers of a hub,
 * whose documents have revisions, or by starting and stopping instances with other settings. Whatever comes of it, the
 * newest generation is as the newest wish says.
 */
final class Wishes {

    /** Who asks does not send. */
    private static final Sink NOWHERE = new Sink() {
        @Override
        public boolean keepsOrder() {
            return true;
        }

        @Override
        public Channel open(String lane, Duration timeout) {
            throw new IllegalStateException("nothing is sent here");
        }
    };

    private final World world;
    private final ModelDatabase database;
    private final LeaseStore hub;

    /** The wish that counts, by subscription. */
    private final Map<String, Wish> counting = new HashMap<>();

    private static final class Wish {
        private final Subscription wanted;

        /** Whether a generation is as wanted, which it stays: everything is checked after every step. */
        private final Map<GenerationRow, Boolean> met = new HashMap<>();

        Wish(Subscription wanted) {
            this.wanted = wanted;
        }

        boolean isMet(GenerationRow generation) {
            return met.computeIfAbsent(generation, each -> each.isAsWanted(wanted));
        }
    }

    Wishes(World world, ModelDatabase database) {
        this.world = world;
        this.database = database;
        this.hub = new ModelLeaseStore(database, "");
    }

    /** Changes a subscription once, or several times before anybody has noticed. */
    void change() {
        List<Scenario.Settings> all = world.scenario().subscriptions;
        int which = world.below(all.size());
        for (int i = world.chance(0.3) ? world.between(2, 3) : 1; i > 0; i--) {
            all.get(which).change();
            put(which);
        }
        tellSome();
    }

    /**
     * What a hub does when it is called: it stores the document, then asks for what the document says, unless it ends
     * in between; then somebody who has read the document asks.
     */
    private void put(int which) {
        Scenario.Settings settings = world.scenario().subscriptions.get(which);
        world.trace(() -> settings.name + " is to have " + settings.lanes + " lanes and " + settings.filter
                + ", revision " + settings.revision);
        SubscriptionRow row = database.find(settings.name);
        if (settings.revision > 0 && row != null && !world.isDatabaseAway() && world.chance(0.8)) {
            Subscription wanted = world.subscriptions(receiver -> NOWHERE).get(which);
            hub.request(Map.of(row.id, wanted));
            asked(wanted);
        }
    }

    private void tellSome() {
        double part = world.chance(0.5) ? 1 : 0.5;
        world.instances().stream()
                .filter(instance -> instance.isAwake() && world.chance(part))
                .forEach(SimulatedInstance::serveAnew);
        if (world.instances().size() <= world.scenario().instances && world.chance(0.5)) {
            world.start();
        }
    }

    /** Somebody has asked for it. Whoever registered it has asked too, perhaps by a newer document. */
    void asked(Subscription wanted) {
        SubscriptionRow row = database.find(wanted.name());
        Wish before = counting.get(wanted.name());
        long counts = before != null ? before.wanted.revision() : row == null ? 0 : row.revision;
        if (counts <= wanted.revision()) {
            counting.put(wanted.name(), new Wish(wanted));
        }
        check(row);
    }

    /** At any time. */
    void check() {
        database.subscriptions.forEach(this::check);
    }

    private void check(@Nullable SubscriptionRow row) {
        Wish wish = row == null ? null : counting.get(row.name);
        if (row == null || wish == null) {
            return;
        }
        require(wish.isMet(row.newest()), row, "is not to be as it was asked for last");
        if (row.revision != wish.wanted.revision()) {
            throw new Simulation.BrokenPromise(row.name + " has forgotten revision " + wish.wanted.revision());
        }
        GenerationRow change = row.wanted();
        require(change == null || !wish.isMet(row.current()), row, "is to change, though it is as wanted");
        require(change != null || row.stopAt == null, row, "is to stop for a change that nobody wants");
    }

    private static void require(boolean holds, SubscriptionRow row, String what) {
        if (!holds) {
            throw new Simulation.BrokenPromise(row.name + " " + what);
        }
    }

    /** Whose newest document nobody has asked for yet. */
    @Nullable
    Supplier<String> unfinished() {
        for (Scenario.Settings settings : world.scenario().subscriptions) {
            SubscriptionRow row = database.find(settings.name);
            if (row != null && row.revision < settings.revision) {
                return () -> settings.name + " is at revision " + row.revision + " of " + settings.revision;
            }
        }
        return null;
    }
}
