package dev.posthorn.simulation;

import dev.posthorn.relay.store.Changes;
import dev.posthorn.relay.store.DeliveryState;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.LetterChange;
import dev.posthorn.relay.store.RowChange;
import dev.posthorn.relay.store.Settlement;
import dev.posthorn.simulation.Tables.AttemptRow;
import dev.posthorn.simulation.Tables.EventRow;
import dev.posthorn.simulation.Tables.LaneRow;
import dev.posthorn.simulation.Tables.LetterRow;
import dev.posthorn.simulation.Tables.ReceiptRow;
import dev.posthorn.simulation.Tables.WaitingRow;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes what a settle changes beside the mark into a {@link ModelDatabase}, kind by kind, in PostgreSQL's order. */
final class ModelWriter {

    private final ModelDatabase database;
    private final LaneGrant grant;
    private final ModelReplays replays;

    ModelWriter(ModelDatabase database, LaneGrant grant, ModelReplays replays) {
        this.database = database;
        this.grant = grant;
        this.replays = replays;
    }

    void write(LaneRow lane, Settlement settlement) {
        Changes changes = settlement.changes();
        changes.rows.values().forEach(row -> put(lane, row));
        changes.removedRows.forEach(lane.rows::remove);
        changes.attempts.forEach(each -> database.attempts.add(new AttemptRow(grant.subscriptionId(), each)));
        writeLetters(changes.letters);
        replays.write(changes.items);
        changes.answers.forEach((id, answer) -> Objects.requireNonNull(database.commands.get(id)).answer = answer);
        if (settlement.receiptCount() > 0) {
            database.receipts.add(new ReceiptRow(lane.id, settlement.mark(), settlement.receiptCount()));
        }
        if (settlement.gauge() != null) {
            lane.gauge = settlement.gauge();
        }
    }

    private void put(LaneRow lane, RowChange change) {
        long place = database.nextId();
        WaitingRow row = lane.rows.get(change.seq());
        if (row == null) {
            lane.rows.put(change.seq(), new WaitingRow(change, place, dueAt(change)));
            return;
        }
        row.state = change.state();
        row.attempts = change.attempts();
        row.unanswered = change.unanswered();
        row.dueAt = dueAt(change);
        row.belongTo(change.replay());
        if (change.state() == DeliveryState.HELD) {
            row.place = place;
        }
    }

    private @Nullable Long dueAt(RowChange change) {
        if (change.state() == DeliveryState.HELD) {
            return null;
        }
        if (change.dueAt() != null) {
            return ModelDatabase.micros(change.dueAt());
        }
        Duration in = Objects.requireNonNull(change.dueIn());
        return database.micros() + in.toNanos() / 1000;
    }

    private void writeLetters(List<LetterChange> changes) {
        if (changes.isEmpty()) {
            return;
        }
        each(LetterChange.Dead.class, changes, this::bury);
        each(
                LetterChange.Returned.class,
                changes,
                returned -> change(returned, letter -> {
                    letter.attempts = returned.attempts();
                    letter.reason = returned.failure().reason();
                    letter.replays++;
                }));
        each(LetterChange.Released.class, changes, some -> change(some, letter -> letter.holdsKey = false));
        each(LetterChange.Removed.class, changes, some -> letters().remove(some.seq()));
        each(
                LetterChange.Discarded.class,
                changes,
                discarded -> change(discarded, letter -> {
                    letter.discarded = true;
                    letter.discardedBy = discarded.by();
                }));
        each(LetterChange.Purged.class, changes, purged -> change(purged, letter -> letter.discarded = true));
    }

    private static <T extends LetterChange> void each(Class<T> kind, List<LetterChange> all, Consumer<T> action) {
        for (LetterChange change : all) {
            if (kind.isInstance(change)) {
                action.accept(kind.cast(change));
            }
        }
    }

    private Map<Long, LetterRow> letters() {
        return database.letters(grant.subscriptionId());
    }

    private void change(LetterChange change, Consumer<LetterRow> action) {
        LetterRow letter = letters().get(change.seq());
        if (letter != null) {
            action.accept(letter);
        }
    }

    private void bury(LetterChange.Dead dead) {
        LetterRow letter = letters().get(dead.seq());
        if (letter == null) {
            EventRow event = Objects.requireNonNull(database.log.get(dead.seq()));
            letters().put(dead.seq(), new LetterRow(database.nextId(), grant.subscriptionId(), event, dead));
            return;
        }
        letter.attempts = dead.attempts();
        letter.reason = dead.failure().reason();
        letter.holdsKey = dead.holdsKey();
        letter.discarded = false;
    }
}
