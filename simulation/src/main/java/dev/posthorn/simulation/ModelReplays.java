package dev.posthorn.simulation;

import dev.posthorn.event.Marks;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.relay.store.DeliveryRow;
import dev.posthorn.relay.store.DeliveryState;
import dev.posthorn.relay.store.ItemChange;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.LaneStore;
import dev.posthorn.relay.store.OwnedReplayItem;
import dev.posthorn.relay.store.ReplayOrder;
import dev.posthorn.relay.store.Replayed;
import dev.posthorn.simulation.Tables.ItemRow;
import dev.posthorn.simulation.Tables.LetterRow;
import dev.posthorn.simulation.Tables.RateRow;
import dev.posthorn.simulation.Tables.ReplayRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a lane sees and writes of replays in a {@link ModelDatabase}, by the same rules as in PostgreSQL. */
final class ModelReplays {

    static final String CANCELLED = "cancelled";

    private static final int LEAST_TO_STOP = 10;

    private final ModelDatabase database;
    private final LaneGrant grant;

    ModelReplays(ModelDatabase database, LaneGrant grant) {
        this.database = database;
        this.grant = grant;
    }

    // ---- reading

    boolean isAnyRunning() {
        return !here().isEmpty();
    }

    private List<ReplayRow> here() {
        List<ReplayRow> here = new ArrayList<>();
        for (ReplayRow replay : database.replays.values()) {
            if (replay.state == ReplayRow.Standing.RUNNING && replay.subscriptions.contains(grant.subscriptionId())) {
                here.add(replay);
            }
        }
        return here;
    }

    List<ReplayOrder> running() {
        here().forEach(ModelReplays::advance);
        return here().stream()
                .map(replay -> new ReplayOrder(replay.id, replay.ratePerSecond, replay.maxInFlight, replay.trying))
                .toList();
    }

    private static void advance(ReplayRow replay) {
        boolean ended = replay.items.stream().noneMatch(ItemRow::isPending);
        boolean tried = replay.trying && replay.items.stream().noneMatch(item -> item.isPending() && item.canary);
        if (!ended && !tried) {
            return;
        }
        boolean goesOn = replay.canaryGoesOn && replay.count(ItemRow.Ending.FAILED) == 0;
        replay.state = ended
                ? ReplayRow.Standing.FINISHED
                : goesOn ? ReplayRow.Standing.RUNNING : ReplayRow.Standing.WAITING_FOR_GO;
        replay.trying &= !(ended || goesOn);
    }

    List<OwnedReplayItem> items(ReplayOrder order, long afterSeq, int limit) {
        return pending(order, grant.scope().index())
                .filter(item -> item.seq() > afterSeq)
                .sorted((one, other) -> Long.compare(one.seq(), other.seq()))
                .limit(limit)
                .map(this::item)
                .toList();
    }

    /** What a lane of the subscription may send now. */
    private Stream<ItemRow> pending(ReplayOrder order, int index) {
        ReplayRow replay = database.replays.get(order.id());
        Stream<ItemRow> items = replay == null ? Stream.empty() : replay.items.stream();
        return items.filter(item -> item.isPending()
                && item.subscriptionId == grant.subscriptionId()
                && (item.canary || !order.trying())
                && item.event.lane(grant.scope().lanes()) == index);
    }

    private OwnedReplayItem item(ItemRow item) {
        Long letterId = item.deadLetterId;
        if (letterId == null) {
            return item(item, attempts(item.seq()), false);
        }
        LetterRow letter = database.letters(grant.subscriptionId()).get(item.seq());
        if (letter == null || letter.id != letterId) {
            return OwnedReplayItem.skipped(item.seq(), OwnedReplayItem.GONE);
        }
        return letter.discarded
                ? OwnedReplayItem.skipped(item.seq(), OwnedReplayItem.DISCARDED)
                : item(item, letter.attempts, letter.holdsKey);
    }

    private OwnedReplayItem item(ItemRow item, int attempts, boolean holdsKey) {
        DeliveryRow row = new DeliveryRow(
                marked(item.event.recorded, item.replayId),
                DeliveryState.REPLAYED,
                attempts,
                true,
                new Replayed(item.replayId, item.deadLetterId),
                holdsKey,
                false);
        boolean hasRow = database.lane(grant.lease().laneId()).rows.containsKey(item.seq());
        return new OwnedReplayItem(item.seq(), row, null, hasRow);
    }

    /** An attempt of an event that was delivered at once was not written down: it was the first. */
    private int attempts(long seq) {
        return database.attempts.stream()
                .filter(row -> row.subscriptionId() == grant.subscriptionId()
                        && row.attempt().seq() == seq)
                .mapToInt(row -> row.attempt().number())
                .max()
                .orElse(1);
    }

    static RecordedEvent marked(RecordedEvent recorded, long replayId) {
        return recorded.marked(Marks.REPLAY, String.valueOf(replayId));
    }

    int lanesBefore(ReplayOrder order) {
        int count = 0;
        for (int index = 0; index < grant.scope().index(); index++) {
            count += pending(order, index).findAny().isPresent() ? 1 : 0;
        }
        return count;
    }

    boolean isReplaying(long seq) {
        return database.isInReplay(grant.subscriptionId(), seq);
    }

    LaneStore.Granted leaseTokens(ReplayOrder order, double capacity, int wanted) {
        ReplayRow replay = database.replays.get(order.id());
        if (replay == null) {
            return new LaneStore.Granted(0, 0);
        }
        RateRow.Lease lease = RateRow.lease(replay.rate, database.micros(), order.ratePerSecond(), capacity, wanted);
        replay.rate = lease.row();
        replay.granted += lease.granted().tokens();
        return lease.granted();
    }

    // ---- writing

    void write(List<ItemChange> changes) {
        Map<Long, Boolean> failed = new TreeMap<>();
        for (ItemChange change : changes) {
            ReplayRow replay = database.replays.get(change.replayId());
            if (replay != null && !end(replay, change, ItemRow::isPending)) {
                end(replay, change, ItemRow::isCancelled);
            }
            failed.merge(change.replayId(), change instanceof ItemChange.Failed, Boolean::logicalOr);
        }
        failed.forEach((id, some) -> stopIfTooManyFail(database.replays.get(id), some));
    }

    private boolean end(ReplayRow replay, ItemChange change, Predicate<ItemRow> which) {
        ItemRow item = replay.items.stream()
                .filter(each ->
                        each.subscriptionId == grant.subscriptionId() && each.seq() == change.seq() && which.test(each))
                .findFirst()
                .orElse(null);
        if (item == null) {
            return false;
        }
        if (change instanceof ItemChange.Delivered) {
            replay.items.remove(item);
            replay.delivered.merge(grant.lease().laneId(), 1L, Long::sum);
        } else if (change instanceof ItemChange.Failed failed) {
            item.end(ItemRow.Ending.FAILED, failed.failure().errorClass().label());
        } else if (change instanceof ItemChange.Skipped skipped) {
            item.end(ItemRow.Ending.SKIPPED, skipped.reason());
        }
        return true;
    }

    private static void stopIfTooManyFail(@Nullable ReplayRow replay, boolean someFailed) {
        if (replay == null || !someFailed || replay.stopAtFailureRate == null) {
            return;
        }
        long failed = replay.count(ItemRow.Ending.FAILED);
        long sent = failed + replay.deliveredCount();
        boolean enough = sent >= Math.min(LEAST_TO_STOP, replay.requested);
        if (replay.state == ReplayRow.Standing.RUNNING && enough && failed > replay.stopAtFailureRate * sent) {
            replay.state = ReplayRow.Standing.PAUSED;
        }
    }
}
