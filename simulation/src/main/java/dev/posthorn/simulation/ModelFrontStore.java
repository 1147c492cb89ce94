package dev.posthorn.simulation;

import dev.posthorn.log.Mark;
import dev.posthorn.relay.store.FrontStore;
import dev.posthorn.simulation.Tables.FrontRow;
import dev.posthorn.simulation.Tables.LaneRow;
import dev.posthorn.simulation.Tables.ReceiptRow;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Keeps the position of a front in a {@link ModelDatabase}, by the same rules as in PostgreSQL. */
final class ModelFrontStore implements FrontStore {

    /** Told of every lane that a move may have carried further, right after it, with where it stood. */
    interface Witness {

        Witness NONE = new Witness() {
            @Override
            public void carried(LaneRow lane, Mark before) {}

            @Override
            public void boarded(LaneRow lane) {}
        };

        void carried(LaneRow lane, Mark before);

        /** Its row says from now on that it is carried. */
        void boarded(LaneRow lane);
    }

    private final ModelDatabase database;
    private final Witness witness;

    ModelFrontStore(ModelDatabase database, Witness witness) {
        this.database = database;
        this.witness = witness;
    }

    @Override
    public void begin(UUID front, UUID session, Mark at, long readSeq, long turn) {
        database.fronts.put(front, new FrontRow(front, session, at, readSeq, turn));
        database.flush();
    }

    @Override
    public void end(Collection<UUID> fronts) {
        database.fronts.values().stream()
                .filter(front -> fronts.contains(front.id))
                .forEach(front -> front.ended = true);
        database.flush();
    }

    @Override
    public boolean isCurrent() {
        return true;
    }

    @Override
    public Moved move(Move move) {
        FrontRow front = database.fronts.get(move.front());
        if (front == null || front.ended || front.turn != move.former()) {
            return Moved.ENDED;
        }
        Map<LaneRow, Mark> before = before(move);
        front.mark = move.at();
        front.readSeq = Math.max(front.readSeq, move.readSeq());
        front.turn = move.turn();
        Set<Long> touched = new HashSet<>();
        for (Touched each : move.anchored()) {
            LaneRow lane = owned(each);
            if (lane != null && front.id.equals(lane.front)) {
                database.getOff(lane, front, move.turn());
                touched.add(lane.id);
            }
        }
        for (Touched each : move.boarded()) {
            LaneRow lane = owned(each);
            if (lane != null && lane.front == null && lane.turn == each.former()) {
                lane.front = front.id;
                lane.turn = move.turn();
                lane.parkedFor = null;
                touched.add(lane.id);
                witness.boarded(lane);
            }
        }
        for (Touched each : move.calmed()) {
            LaneRow lane = owned(each);
            if (lane != null && front.id.equals(lane.front)) {
                lane.takeovers = 0;
                touched.add(lane.id);
            }
        }
        move.receipts()
                .forEach(receipt -> database.receipts.add(new ReceiptRow(receipt.lane(), front.mark, receipt.count())));
        database.flush();
        before.forEach(witness::carried);
        return new Moved(true, touched);
    }

    /** Where those stand that it carries, and those that get on. */
    private Map<LaneRow, Mark> before(Move move) {
        Map<LaneRow, Mark> before = new LinkedHashMap<>();
        for (LaneRow lane : database.lanes.values()) {
            if (move.front().equals(lane.front)) {
                before.put(lane, database.mark(lane));
            }
        }
        for (Touched each : move.boarded()) {
            LaneRow lane = owned(each);
            if (lane != null) {
                before.put(lane, database.mark(lane));
            }
        }
        return before;
    }

    private @Nullable LaneRow owned(Touched touched) {
        LaneRow lane = database.lanes.get(touched.lane());
        return lane != null && !lane.ended && lane.epoch == touched.epoch() ? lane : null;
    }
}
