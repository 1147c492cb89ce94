package dev.posthorn.simulation;

import dev.posthorn.simulation.Fate.Known;
import dev.posthorn.simulation.StatusModel.Status;
import dev.posthorn.simulation.Tables.CommandRow;
import dev.posthorn.simulation.Tables.EventRow;
import dev.posthorn.simulation.Tables.GenerationRow;
import dev.posthorn.simulation.Tables.LaneRow;
import dev.posthorn.simulation.Tables.LetterRow;
import dev.posthorn.simulation.Tables.SubscriptionRow;
import dev.posthorn.simulation.Tables.WaitingRow;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Compares what the tables say with what has happened. */
final class Checks {

    private static final Map<Known, Set<Status>> SEEN_AS = Map.of(
            Known.NOTHING, EnumSet.of(Status.PENDING, Status.SENDING),
            Known.WAITS, EnumSet.of(Status.PENDING),
            Known.HELD, EnumSet.of(Status.HELD),
            Known.DELIVERED_EARLY, EnumSet.of(Status.PENDING, Status.SENDING, Status.DELIVERED),
            Known.DELIVERED, EnumSet.of(Status.DELIVERED),
            Known.FAILED, EnumSet.of(Status.FAILED),
            Known.DISCARDED, EnumSet.of(Status.DISCARDED));

    private final ModelDatabase database;
    private final History history;
    private final Scenario scenario;

    Checks(ModelDatabase database, History history, Scenario scenario) {
        this.database = database;
        this.history = history;
        this.scenario = scenario;
    }

    /** The derived status of every event and subscription is what happened. */
    void statuses() {
        for (int i = 0; i < scenario.subscriptions.size(); i++) {
            SubscriptionRow subscription = database.find(scenario.subscriptions.get(i).name);
            if (subscription != null) {
                statuses(i, subscription);
            }
        }
    }

    private void statuses(int index, SubscriptionRow subscription) {
        List<StatusModel.Generation> begun = begun(subscription);
        List<LaneRow> lanes = database.lanes(subscription, subscription.generation);
        Map<Long, WaitingRow> rows = new HashMap<>();
        lanes.forEach(lane -> rows.putAll(lane.rows));
        for (EventRow event : database.log.values()) {
            Status status = status(subscription, begun, lanes, rows.get(event.seq()), event);
            if (status == null) {
                require(!history.past(index).isWanted(event), event, index, () -> "is wanted, yet has no status");
                continue;
            }
            require(history.past(index).isWanted(event), event, index, () -> "is not wanted, yet is " + status);
            Known known = history.fate(index, event.seq()).known;
            require(
                    Objects.requireNonNull(SEEN_AS.get(known)).contains(status),
                    event,
                    index,
                    () -> "is shown as " + status + ", but what happened is " + known);
        }
    }

    private @Nullable Status status(
            SubscriptionRow subscription,
            List<StatusModel.Generation> begun,
            List<LaneRow> lanes,
            @Nullable WaitingRow row,
            EventRow event) {
        StatusModel.Generation generation = StatusModel.inForce(database.visibility, begun, event.txid);
        if (generation == null
                || !StatusModel.isWanted(
                        database.visibility,
                        generation,
                        event.txid,
                        event.recorded.event(),
                        event.recorded.createdAt())) {
            return null;
        }
        LaneRow lane = lanes.get(event.lane(lanes.size()));
        LetterRow letter = database.letters(subscription.id).get(event.seq());
        StatusModel.Stored stored = new StatusModel.Stored(
                event.txid, event.seq(), row == null ? null : row.state, letter == null ? null : letter.discarded);
        return StatusModel.of(
                database.visibility,
                stored,
                generation,
                subscription.generation,
                new StatusModel.Lane(database.mark(lane), database.high(lane)));
    }

    private static List<StatusModel.Generation> begun(SubscriptionRow subscription) {
        List<StatusModel.Generation> begun = new ArrayList<>();
        for (GenerationRow each : subscription.generations) {
            if (each.startA != null && each.startB != null) {
                begun.add(new StatusModel.Generation(
                        each.number,
                        each.filter,
                        each.startA,
                        each.startB,
                        each.since == null ? null : ModelDatabase.instant(each.since)));
            }
        }
        return begun;
    }

    /**
     * Every event that is wanted was delivered, or is a dead letter with a reason, or was discarded; what is left, to be
     * told by whoever wants to know.
     */
    @Nullable
    Supplier<String> unfinished() {
        for (int i = 0; i < scenario.subscriptions.size(); i++) {
            Supplier<String> left = unfinished(i);
            if (left != null) {
                return left;
            }
        }
        Supplier<String> replay = history.replays().unfinished();
        return replay == null ? unanswered() : replay;
    }

    private @Nullable Supplier<String> unfinished(int index) {
        String name = scenario.subscriptions.get(index).name;
        SubscriptionRow subscription = database.find(name);
        if (subscription == null) {
            return () -> name + " was never registered";
        }
        if (subscription.wanted() != null) {
            return () -> name + " has not changed to generation " + (subscription.generation + 1);
        }
        for (LaneRow lane : database.lanes(subscription, subscription.generation)) {
            if (!lane.rows.isEmpty()) {
                return () -> describe(subscription, lane);
            }
        }
        for (EventRow event : database.log.values()) {
            Fate fate = history.fate(index, event.seq());
            if (!fate.isEnded() && history.past(index).isWanted(event)) {
                return () -> describe(event, index) + " is " + fate.known + ", sent " + fate.sends + " times";
            }
        }
        return null;
    }

    private @Nullable Supplier<String> unanswered() {
        for (CommandRow row : database.commands.values()) {
            if (row.answer == null) {
                return () -> row.command + " is not answered";
            }
        }
        return null;
    }

    private String describe(SubscriptionRow subscription, LaneRow lane) {
        String rows = lane.rows.values().stream()
                .map(row -> row.seq + " of " + row.key + " " + row.state + (row.replayId == null ? "" : ", replayed"))
                .collect(Collectors.joining("; "));
        String holding = database.letters(subscription.id).values().stream()
                .filter(letter -> letter.holdsKey && !letter.discarded)
                .map(letter -> String.valueOf(letter.event.seq()))
                .collect(Collectors.joining(", "));
        return subscription.name + ", lane " + lane.id + " still has rows of " + rows + "; dead letters that hold: "
                + holding;
    }

    /** Once nothing is unfinished. */
    void atTheEnd() {
        statuses();
        for (int i = 0; i < scenario.subscriptions.size(); i++) {
            for (EventRow event : database.log.values()) {
                Fate fate = history.fate(i, event.seq());
                if (history.past(i).isWanted(event)) {
                    boolean arrived = fate.known != Known.DELIVERED || fate.arrivals > 0;
                    require(arrived, event, i, () -> "counts as delivered and never arrived");
                } else {
                    require(fate.sends == 0, event, i, () -> "was sent, though it is not wanted");
                }
            }
            checkOrder(i);
        }
    }

    /** First arrivals of a key are in the order of the commits. */
    private void checkOrder(int index) {
        Map<String, Long> last = new HashMap<>();
        for (long seq : history.firstArrivals(index)) {
            Fate fate = history.fate(index, seq);
            String key = fate.event.key();
            if (key == null || fate.isOutOfOrder()) {
                continue;
            }
            Long before = last.put(key, seq);
            require(
                    before == null || history.place(before) < history.place(seq),
                    fate.event,
                    index,
                    () -> "arrived after event " + before + " of its key, which was committed later");
        }
    }

    private String describe(EventRow event, int index) {
        return "event " + event.seq() + " of key " + event.key() + " at " + scenario.subscriptions.get(index).name;
    }

    private void require(boolean holds, EventRow event, int index, Supplier<String> what) {
        if (!holds) {
            throw new Simulation.BrokenPromise(describe(event, index) + " " + what.get());
        }
    }
}
