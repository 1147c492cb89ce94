package dev.posthorn.simulation;

import dev.posthorn.simulation.SimulatedInstance.Owner;
import dev.posthorn.simulation.Tables.ItemRow;
import dev.posthorn.simulation.Tables.ReplayRow;
import dev.posthorn.subscription.Subscription;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What happened to replays, and what may never happen. Told by {@link History}. */
final class ReplayHistory {

    /** How long after it was paused or cancelled a replay sends nothing more. */
    private static final long LOOK = Duration.ofMillis(200).toNanos();

    private final World world;
    private final ModelDatabase database;

    /** What was asked for: the subscription and the seq of each item, by replay. */
    private final Map<Long, Set<String>> asked = new HashMap<>();

    /** What was sent of a replay, by replay, subscription and seq. */
    private final Set<String> sent = new HashSet<>();

    /** The last item of a key that was sent for the first time, by replay, subscription and key. */
    private final Map<String, Long> lastOfKey = new HashMap<>();

    /** How many were sent of each replay that has a rate, but for those that have a row. */
    private final Map<Long, Long> sends = new HashMap<>();

    /** When a lane last looked which replays run, and which it saw then. */
    private final Map<Owner, Long> looks = new HashMap<>();

    private final Map<Owner, Set<Long>> seen = new HashMap<>();

    ReplayHistory(World world, ModelDatabase database) {
        this.world = world;
        this.database = database;
    }

    void started(ReplayRow replay) {
        asked.put(replay.id, replay.items.stream().map(ReplayHistory::name).collect(Collectors.toSet()));
    }

    private static String name(ItemRow item) {
        return name(item.subscriptionId, item.seq());
    }

    private static String name(long subscriptionId, long seq) {
        return subscriptionId + " " + seq;
    }

    void looks(Owner owner) {
        looks.put(owner, world.nanos());
    }

    void looked(Owner owner, Set<Long> running) {
        seen.put(owner, running);
    }

    void sent(Owner owner, long replayId, long seq, @Nullable String key) {
        long subscriptionId = database.lane(owner.laneId()).subscriptionId;
        String name = name(subscriptionId, seq);
        require(
                asked.getOrDefault(replayId, Set.of()).contains(name),
                owner,
                () -> "sends event " + seq + " for replay " + replayId + ", which was not asked for");
        boolean hasRow = database.lane(owner.laneId()).rows.containsKey(seq);
        if (!hasRow) {
            checkLook(owner, replayId, seq);
            checkRate(owner, replayId, seq);
        }
        if (sent.add(replayId + " " + name) && key != null) {
            Long before = lastOfKey.put(replayId + " " + subscriptionId + " " + key, seq);
            require(
                    before == null || before < seq,
                    owner,
                    () -> "sends event " + seq + " for replay " + replayId + " after event " + before + " of its key");
        }
    }

    /** An item that is written down before it is sent is on its way from then on. */
    private void checkLook(Owner owner, long replayId, long seq) {
        require(
                seen.getOrDefault(owner, Set.of()).contains(replayId),
                owner,
                () -> "sends event " + seq + " for replay " + replayId + ", which it has seen not to run");
        require(
                looks.getOrDefault(owner, 0L) >= world.stepBegan() - LOOK,
                owner,
                () -> "sends event " + seq + " for replay " + replayId + " without having looked whether it runs");
    }

    private void checkRate(Owner owner, long replayId, long seq) {
        ReplayRow replay = database.replays.get(replayId);
        long count = sends.merge(replayId, 1L, Long::sum);
        require(
                replay == null || replay.ratePerSecond == Subscription.UNLIMITED || count <= replay.granted,
                owner,
                () -> "sends event " + seq + " for replay " + replayId + " without a token");
    }

    /** The first replay that has not come to its end, or whose accounts are wrong; null if there is none. */
    @Nullable
    Supplier<String> unfinished() {
        for (ReplayRow replay : database.replays.values()) {
            checkAccounts(replay);
            if (!replay.isEnded()) {
                return () -> "replay " + replay.id + " is " + replay.state + " with "
                        + replay.count(ItemRow.Ending.PENDING) + " of " + replay.requested + " items left: "
                        + replay.items.stream()
                                .filter(ItemRow::isPending)
                                .map(ReplayHistory::name)
                                .toList();
            }
        }
        return null;
    }

    /** What was asked for is what was delivered, failed, skipped or is still to be sent. */
    void checkAccounts() {
        database.replays.values().forEach(ReplayHistory::checkAccounts);
    }

    private static void checkAccounts(ReplayRow replay) {
        long pending = replay.count(ItemRow.Ending.PENDING);
        long sum = replay.deliveredCount() + replay.items.size();
        if (sum != replay.requested || (replay.isEnded() && pending > 0)) {
            throw new Simulation.BrokenPromise(
                    "replay " + replay.id + " is " + replay.state + ": of " + replay.requested
                            + " items " + replay.deliveredCount() + " were delivered, "
                            + replay.count(ItemRow.Ending.FAILED) + " failed, " + replay.count(ItemRow.Ending.SKIPPED)
                            + " were skipped, " + pending + " are left");
        }
    }

    private static void require(boolean holds, Owner owner, Supplier<String> what) {
        if (!holds) {
            throw new Simulation.BrokenPromise(owner + " " + what.get());
        }
    }
}
