package dev.posthorn.relay.lane;

import dev.posthorn.relay.store.Changes;
import dev.posthorn.subscription.AfterDeadLetter;
import dev.posthorn.subscription.Subscription;
import java.util.ArrayList;
import java.util.List;

/** What is to be written about rows, dead letters, attempts and commands: the next settle does, together with the mark. */
final class Unwritten {

    private final boolean deadHoldTheirKeys;
    private Changes changes;

    /** Those whose rows are finished because they have arrived, and those that a settle under way says so of. */
    private List<LaneEvent> arrived = new ArrayList<>();

    private List<LaneEvent> arrivedInDoubt = List.of();

    Unwritten(Subscription subscription) {
        this.deadHoldTheirKeys = subscription.afterDeadLetter() == AfterDeadLetter.HOLD;
        this.changes = new Changes(deadHoldTheirKeys);
    }

    /** Where to take note. */
    Changes changes() {
        return changes;
    }

    /** It has arrived, and its row is finished. */
    void arrived(LaneEvent item) {
        arrived.add(item);
    }

    boolean isEmpty() {
        return changes.isEmpty();
    }

    /** Of about how many events. */
    int size() {
        return changes.size();
    }

    /** How many rows were finished since the last settle. */
    int rows() {
        return changes.places();
    }

    /** Whether the event's row is not written yet as it is to be. */
    boolean isRowOf(LaneEvent item) {
        return changes.rows.containsKey(item.seq());
    }

    /** What is to be written; from here on new changes are collected. */
    Changes take() {
        Changes taken = changes;
        changes = new Changes(deadHoldTheirKeys);
        arrivedInDoubt = arrived;
        arrived = new ArrayList<>();
        return taken;
    }

    /** What was taken last is written. */
    void written() {
        arrivedInDoubt = List.of();
    }

    /** What has arrived, though its row is not known to say so. */
    void keepArrived(SentBefore kept) {
        arrivedInDoubt.forEach(kept::keepRow);
        arrived.forEach(kept::keepRow);
    }
}
