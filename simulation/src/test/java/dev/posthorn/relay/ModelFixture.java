package dev.posthorn.relay;

import dev.posthorn.event.Event;
import dev.posthorn.log.EventLog;
import dev.posthorn.log.Guards;
import dev.posthorn.log.LaneScope;
import java.time.Duration;
import java.util.Objects;

final class ModelFixture implements StoreFixture {

    private long nanos = 1_000_000_000;
    private final ModelDatabase database =
            new ModelDatabase(() -> ModelDatabase.micros(START) + (nanos - 1_000_000_000) / 1000);

    @Override
    public int begin() {
        return (int) database.begin();
    }

    @Override
    public long insert(int transaction, Event event) {
        return database.insert(transaction, event).seq();
    }

    @Override
    public void commit(int transaction) {
        database.commit(transaction);
    }

    @Override
    public void rollback(int transaction) {
        database.rollback(transaction);
    }

    @Override
    public EventLog log(LaneScope scope) {
        return new ModelLog(database, scope, Guards.ALL);
    }

    @Override
    public LeaseStore leases(String instance) {
        return new ModelLeaseStore(database, instance, () -> nanos, Guards.ALL);
    }

    @Override
    public LaneStore lane(LaneGrant grant, Guards guards) {
        return new ModelLaneStore(database, grant, guards, ModelLaneStore.Witness.NONE);
    }

    @Override
    public void command(long subscriptionId, Command.Kind kind, long seq) {
        var dueAt = kind == Command.Kind.DEFER ? START : null;
        database.command(
                subscriptionId, kind, Objects.requireNonNull(database.log.get(seq)), dueAt, "operator", "because");
    }

    @Override
    public void pause(String subscription, boolean paused) {
        Objects.requireNonNull(database.find(subscription)).paused = paused;
    }

    @Override
    public void advance(Duration time) {
        nanos += time.toNanos();
    }

    @Override
    public long attempts(long seq) {
        return database.attempts.stream()
                .filter(row -> row.attempt().seq() == seq)
                .count();
    }

    @Override
    public void close() {}
}
