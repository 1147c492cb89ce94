package dev.posthorn.simulation;

import dev.posthorn.simulation.Tables.EventRow;
import dev.posthorn.simulation.Tables.LaneRow;
import dev.posthorn.simulation.Tables.SubscriptionRow;
import dev.posthorn.subscription.Subscription;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Once all is over and well: receivers that refuse some keys, or let them hang, and then receivers that refuse everything.
 * Nothing else is wrong, so it can be said how late an event may be and how many may be given up.
 */
final class Ordeal {

    private static final long SECOND = 1_000_000_000;

    /** Between two steps pass up to 200 ms here, and reading, sending and settling take one each. */
    private static final long LATEST = 5 * SECOND;

    /** If all in flight hang, nobody answers, and the next is tried as one of the probes. */
    private static final long LATEST_BESIDE_HANGING = 30 * SECOND;

    private final World world;
    private final ModelDatabase database;
    private final History history;
    private final Scenario scenario;
    private final Writers writers;

    Ordeal(World world, ModelDatabase database, History history, Scenario scenario, Writers writers) {
        this.world = world;
        this.database = database;
        this.history = history;
        this.scenario = scenario;
        this.writers = writers;
    }

    /** Good keys beside bad ones: the good are not kept waiting. */
    void someKeysFail(List<Receiver> receivers) {
        boolean hang = world.chance(0.3);
        world.trace(() -> "bad keys " + (hang ? "hang" : "fail") + " from now on");
        receivers.forEach(
                receiver -> receiver.spoil(event -> isBad(event.event().key()), hang));
        int bad = world.between(10, 90);
        List<Scenario.Settings> swift = new ArrayList<>(scenario.subscriptions.stream()
                .filter(each -> isRoomy(each) && !isCareful(each))
                .toList());
        Map<Scenario.Settings, List<Long>> owners = new HashMap<>();
        swift.forEach(each -> owners.put(each, epochs(each)));
        Map<EventRow, Long> good = new LinkedHashMap<>();
        for (int i = world.between(20, 60); i > 0; i--) {
            if (world.below(100) < bad) {
                writers.write("bad" + world.below(30));
            } else {
                good.put(writers.write("good" + world.below(3)), world.nanos());
            }
            world.quietFor(world.between(50, 300));
        }
        world.quietFor((hang ? LATEST_BESIDE_HANGING : LATEST) / 1_000_000);
        // An event may end its process even now.
        swift.removeIf(each -> !epochs(each).equals(owners.get(each)));
        if (hang && scenario.refused > 0) {
            // A lane begins anew over every refused row and then tries again what hangs: no bound can be told.
            swift.clear();
        }
        swift.forEach(each -> check(each, good, hang ? LATEST_BESIDE_HANGING : LATEST));
        receivers.forEach(Receiver::heal);
    }

    private static boolean isBad(@Nullable String key) {
        return key != null && key.startsWith("bad");
    }

    private void check(Scenario.Settings settings, Map<EventRow, Long> good, long latest) {
        int index = scenario.subscriptions.indexOf(settings);
        Set<String> failed = new HashSet<>();
        good.forEach((event, since) -> {
            Fate fate = history.fate(index, event.seq());
            // It has arrived, but not as far as its sender knows: then the key waits for its own failure.
            if (fate.buried || fate.answeredLate) {
                failed.add(String.valueOf(event.key()));
            }
            boolean late = fate.arrivals == 0 || fate.arrivedAt - since > latest;
            if (late
                    && !failed.contains(String.valueOf(event.key()))
                    && history.past(index).isWanted(event)) {
                throw new Simulation.BrokenPromise(
                        "event " + event.seq() + " of " + event.key() + " at " + settings.name
                                + ", which would have been taken, "
                                + (fate.arrivals == 0
                                        ? "has not arrived"
                                        : "took " + (fate.arrivedAt - since) / 1_000_000 + " ms"));
            }
        });
    }

    /** Whether nothing but other keys' failures could hold an event up. A sink that keeps the order ends with a failure. */
    private static boolean isRoomy(Scenario.Settings settings) {
        return !settings.keepsOrder
                && settings.ratePerSecond == Subscription.UNLIMITED
                && settings.inFlightLimit >= 8 * settings.lanes
                && settings.inFlightBytes >= 1 << 20
                && settings.concurrency == Integer.MAX_VALUE;
    }

    /** Whether a lane changed hands by force and may still send one event at a time. */
    private boolean isCareful(Scenario.Settings settings) {
        return lanes(settings).anyMatch(lane -> lane.takeovers > 0);
    }

    private List<Long> epochs(Scenario.Settings settings) {
        return lanes(settings).map(lane -> lane.epoch).toList();
    }

    private Stream<LaneRow> lanes(Scenario.Settings settings) {
        SubscriptionRow row = Objects.requireNonNull(database.find(settings.name));
        return database.lanes(row, row.generation).stream();
    }

    /** Everything fails with an answer: next to nothing is given up. */
    void everythingFails(List<Receiver> receivers) {
        world.trace(() -> "everything fails from now on");
        receivers.forEach(receiver -> receiver.spoil(event -> true, false));
        long began = world.nanos();
        List<EventRow> events = new ArrayList<>();
        for (int i = world.between(50, 120); i > 0; i--) {
            events.add(writers.write("all" + i));
            world.quietFor(world.between(10, 400));
        }
        for (int i = 0; i < scenario.subscriptions.size(); i++) {
            Scenario.Settings settings = scenario.subscriptions.get(i);
            int index = i;
            long given = events.stream()
                    .filter(event -> history.fate(index, event.seq()).buried)
                    .count();
            SubscriptionRow row = Objects.requireNonNull(database.find(settings.name));
            long seconds = (world.nanos() - began) / SECOND + 1;
            long most = (long) row.current().lanes * settings.breakerAfter
                    + seconds / Math.min(seconds, settings.retry.maxAttempts());
            // A lane that begins anew over a refused row may take its careful attempts for ones that ended a process.
            if (given > most && scenario.refused == 0) {
                throw new Simulation.BrokenPromise(settings.name + " has given up " + given + " events in " + seconds
                        + " s in which everything failed, of " + most + " at most");
            }
        }
        receivers.forEach(Receiver::heal);
    }
}
