package dev.posthorn.simulation;

import dev.posthorn.event.Event;
import dev.posthorn.log.EventLog;
import dev.posthorn.log.LaneScope;
import dev.posthorn.log.Mark;
import dev.posthorn.relay.store.Command;
import dev.posthorn.relay.store.FrontStore;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.LaneStore;
import dev.posthorn.relay.store.LeaseStore;
import dev.posthorn.simulation.Tables.EventRow;
import dev.posthorn.simulation.Tables.ReceiptRow;
import dev.posthorn.simulation.Tables.ReplayRow;
import dev.posthorn.subscription.Subscription;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

final class ModelFixture implements StoreFixture {

    private long nanos = 1_000_000_000;
    private final ModelDatabase database =
            new ModelDatabase(() -> ModelDatabase.micros(START) + (nanos - 1_000_000_000) / 1000);

    /** What those do that change more than the log. */
    private final Map<Integer, Runnable> ends = new HashMap<>();

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
        Runnable end = ends.remove(transaction);
        if (end == null) {
            database.commit(transaction, true);
        } else {
            end.run();
        }
    }

    @Override
    public void rollback(int transaction) {
        database.rollback(transaction);
    }

    @Override
    public EventLog log(LaneScope scope) {
        return new ModelLog(database, scope);
    }

    @Override
    public LeaseStore leases(String instance) {
        return new ModelLeaseStore(database, instance);
    }

    @Override
    public LaneStore lane(LaneGrant grant) {
        return new ModelLaneStore(database, grant, ModelLaneStore.Witness.NONE);
    }

    @Override
    public FrontStore fronts() {
        return new ModelFrontStore(database, ModelFrontStore.Witness.NONE);
    }

    @Override
    public Mark standing(long lane) {
        return database.mark(database.lane(lane));
    }

    @Override
    public List<Long> receipts(long lane) {
        return database.receipts.stream()
                .filter(receipt -> receipt.laneId() == lane)
                .map(ReceiptRow::count)
                .toList();
    }

    @Override
    public void command(long subscriptionId, Command.Kind kind, long seq) {
        var dueAt = kind == Command.Kind.DEFER ? START : null;
        database.command(
                subscriptionId, kind, Objects.requireNonNull(database.log.get(seq)), dueAt, "operator", "because");
    }

    @Override
    public long replay(long subscriptionId, Plan plan, List<Long> seqs) {
        ReplayRow replay = database.replay();
        replay.ratePerSecond = plan.ratePerSecond() == 0 ? Subscription.UNLIMITED : plan.ratePerSecond();
        replay.trying = plan.canary() > 0;
        replay.canaryGoesOn = plan.goesOn();
        replay.stopAtFailureRate = plan.stopAtFailureRate();
        for (int i = 0; i < seqs.size(); i++) {
            EventRow event = Objects.requireNonNull(database.log.get(seqs.get(i)));
            database.item(replay, subscriptionId, event).canary = i < plan.canary();
        }
        return replay.id;
    }

    private ReplayRow replay(long id) {
        return Objects.requireNonNull(database.replays.get(id));
    }

    @Override
    public void goOn(long replayId) {
        replay(replayId).state = ReplayRow.Standing.RUNNING;
        replay(replayId).trying = false;
    }

    @Override
    public void cancel(long replayId) {
        database.cancel(replay(replayId));
    }

    @Override
    public String accounts(long replayId) {
        ReplayRow replay = replay(replayId);
        String items = replay.items.stream()
                .map(item -> ", " + item.state + (item.reason == null ? "" : " " + item.reason))
                .sorted()
                .collect(Collectors.joining());
        return replay.state + " " + replay.requested + " = " + replay.deliveredCount() + items;
    }

    @Override
    public void pause(String subscription, boolean paused) {
        database.pause(Objects.requireNonNull(database.find(subscription)), paused);
    }

    @Override
    public void pause(int transaction, String subscription, boolean paused) {
        ends.put(
                transaction,
                () -> database.pause(Objects.requireNonNull(database.find(subscription)), paused, transaction));
    }

    @Override
    public boolean isQuiet(String subscription) {
        return database.isQuiet(Objects.requireNonNull(database.find(subscription)));
    }

    @Override
    public void advance(Duration time) {
        nanos += time.toNanos();
    }

    @Override
    public void refuse(long seq) {
        database.refuses = each -> each == seq;
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
