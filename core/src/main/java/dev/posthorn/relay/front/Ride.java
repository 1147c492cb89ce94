package dev.posthorn.relay.front;

import dev.posthorn.log.Batch;
import dev.posthorn.log.Cursor;
import dev.posthorn.log.LaneScope;
import dev.posthorn.log.Snapshot;
import org.jspecify.annotations.Nullable;

/**
 * What lanes ride on, as a lane sees it. Reads are counted, those of the lanes too: of two snapshots that were taken on one
 * connection the later one sees all that the earlier one saw, and a window may only ever reach from an earlier to a later.
 * Their texts say nothing about that.
 */
public interface Ride {

    /** How many reads at the tail were made on this connection. */
    long reads();

    /** A lane has read at the tail by itself. Returns the read's number. */
    long countRead();

    /**
     * How far a lane has to read on to get on: a snapshot up to which the front has read, and by which read, if that is later
     * than the lane's own; null if the lane is to read as far as it can. Lanes that stand at one place are sent to the same.
     *
     * @param from all that is visible in it the lane has read
     * @param read the number of the lane's own last read, or how many there were when it began
     */
    @Nullable
    Tail reachable(Rider rider, Snapshot from, long read);

    /** Whether the front will soon have read further, so that a lane that could get on then need not read by itself. */
    boolean isNear(Rider rider);

    /** What comes next for the lane, out of what was read for others that stand here too; null if it is to read by itself. */
    @Nullable
    Batch shared(Cursor cursor, LaneScope reader);

    /** Whether it goes on from there at once: not if whoever comes later would then find no more of what came before. */
    boolean keepsMore(Cursor from);

    /**
     * Gets on, if the front stands where the lane does, or reads a window that ends there: then it is handed nothing before
     * that end. If there is no front yet there is one then, and it stands there.
     *
     * @param tail the lane has read all that is visible in it, and nothing else
     * @param read the number of the read by which the snapshot was taken
     */
    boolean board(Rider rider, Snapshot tail, long read);

    /** Reads no more for the lane. If its row is carried, it is told when it is on its own. */
    Position getOff(Rider rider);

    /** The lane is not this process's any more, or its run is over; it need not be told anything. */
    void leaveBehind(Rider rider);

    /** Somebody waits for the position to be written: for the places, or to be on its own. */
    void hurry();

    /**
     * The end of what was read.
     *
     * @param read the number of the read by which the snapshot was taken
     */
    record Tail(Snapshot snapshot, long read) {}

    /**
     * Where the front has read to.
     *
     * @param read the number of the read by which the end of its window was taken
     */
    record Position(Cursor cursor, long read) {}
}
