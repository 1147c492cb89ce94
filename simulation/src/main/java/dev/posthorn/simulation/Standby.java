package dev.posthorn.simulation;

import dev.posthorn.simulation.Tables.ChangeRow;
import dev.posthorn.simulation.Tables.CommandRow;
import dev.posthorn.simulation.Tables.EventRow;
import dev.posthorn.simulation.Tables.FrontRow;
import dev.posthorn.simulation.Tables.LaneRow;
import dev.posthorn.simulation.Tables.LetterRow;
import dev.posthorn.simulation.Tables.RateRow;
import dev.posthorn.simulation.Tables.ReplayRow;
import dev.posthorn.simulation.Tables.SessionRow;
import dev.posthorn.simulation.Tables.SubscriptionRow;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * What a stand-by has of a {@link ModelDatabase} that goes on without it. Once it is promoted, what was settled, leased
 * and recorded since never was. What people ask for waits for the stand-by, so none of that is undone.
 */
final class Standby {

    private final ModelDatabase.Counters counters;
    private final Set<EventRow> log;
    private final Map<Long, LaneRow> lanes = new TreeMap<>();
    private final Map<UUID, SessionRow> sessions = new TreeMap<>();
    private final Map<UUID, FrontRow> fronts = new TreeMap<>();
    private final List<ChangeRow> changes;
    private final Map<Long, TreeMap<Long, LetterRow>> letters = new HashMap<>();
    private final Map<Long, ReplayRow> replays = new TreeMap<>();
    private final Map<CommandRow, String> answers = new HashMap<>();
    private final Map<SubscriptionRow, RateRow> rates = new HashMap<>();
    private final int attempts;
    private final int receipts;

    Standby(ModelDatabase database) {
        this.counters = database.counters();
        this.log = new HashSet<>(database.log.values());
        database.lanes.forEach((id, lane) -> lanes.put(id, lane.copy()));
        database.sessions.forEach((id, each) -> sessions.put(id, each.copy()));
        database.fronts.forEach((id, each) -> fronts.put(id, each.copy()));
        this.changes = List.copyOf(database.changes);
        database.letters.forEach((id, each) -> {
            TreeMap<Long, LetterRow> copies = new TreeMap<>();
            each.forEach((seq, letter) -> copies.put(seq, letter.copy()));
            letters.put(id, copies);
        });
        database.replays.forEach((id, replay) -> replays.put(id, replay.copy()));
        database.commands.values().stream()
                .filter(row -> row.answer != null)
                .forEach(row -> answers.put(row, row.answer));
        database.subscriptions.stream().filter(row -> row.rate != null).forEach(row -> rates.put(row, row.rate));
        this.attempts = database.attempts.size();
        this.receipts = database.receipts.size();
    }

    /** The database is what this has of it. Returns the events whose commit was lost. To be called once. */
    List<EventRow> promote(ModelDatabase database) {
        List<EventRow> lost =
                database.log.values().stream().filter(row -> !log.contains(row)).toList();
        lost.forEach(database.log::remove);
        database.lanes.putAll(lanes);
        replace(database.sessions, sessions);
        replace(database.fronts, fronts);
        database.changes.clear();
        database.changes.addAll(changes);
        replace(database.letters, letters);
        // How many tokens there ever were is not what the database says, but what happened.
        database.replays.forEach((id, replay) -> Objects.requireNonNull(replays.get(id)).granted = replay.granted);
        replace(database.replays, replays);
        database.commands.values().forEach(row -> row.answer = answers.get(row));
        database.subscriptions.forEach(row -> row.rate = rates.get(row));
        database.attempts.subList(attempts, database.attempts.size()).clear();
        database.receipts.subList(receipts, database.receipts.size()).clear();
        database.restart(counters);
        return lost;
    }

    private static <K, V> void replace(Map<K, V> rows, Map<K, V> by) {
        rows.clear();
        rows.putAll(by);
    }
}
