package dev.posthorn.relay.store;

import dev.posthorn.log.Mark;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Where the position of a front is kept. A front ends with its connection: a move whose answer was lost is never asked
 * about, because whoever goes on takes its lanes off it first, wherever it stood then.
 */
public interface FrontStore {

    /**
     * Begins a front of this session, where a lane stands.
     *
     * @param turn which its first move names as the former one
     */
    void begin(UUID front, UUID session, Mark at, long readSeq, long turn);

    /** Ends fronts, whatever becomes of a move that may be under way: none that comes later is done. */
    void end(Collection<UUID> fronts);

    /** Whether it is still on the connection on which it began. */
    boolean isCurrent();

    /** Writes a move, all of it or nothing. */
    Moved move(Move move);

    /**
     * A move of the front.
     *
     * @param former the turn of the move before
     * @param at where all that it carries, and those that get on and off with this move, are settled
     * @param anchored lanes that get off: their rows are their own again and say this position
     * @param boarded lanes that get on: their rows are the front's from now on
     * @param calmed lanes that it carries, whose forced take-overs are forgotten
     * @param receipts what was delivered by lanes that it carries; empty if no receipt is due
     */
    record Move(
            UUID front,
            long former,
            long turn,
            Mark at,
            long readSeq,
            List<Touched> anchored,
            List<Touched> boarded,
            List<Touched> calmed,
            List<Receipt> receipts) {

        public Move {
            anchored = List.copyOf(anchored);
            boarded = List.copyOf(boarded);
            calmed = List.copyOf(calmed);
            receipts = List.copyOf(receipts);
        }
    }

    /**
     * A lane whose row is written.
     *
     * @param former the turn of its last settle, if it gets on
     */
    record Touched(long lane, long epoch, long former) {}

    /** How many events a lane has delivered since its last receipt. */
    record Receipt(long lane, int count) {}

    /**
     * What came of a move.
     *
     * @param done false if the front has ended: somebody else has taken its lanes, or may do so
     * @param touched the lanes whose rows were written; of others, the row is not as it was thought to be
     */
    record Moved(boolean done, Set<Long> touched) {

        public static final Moved ENDED = new Moved(false, Set.of());

        public Moved {
            touched = Set.copyOf(touched);
        }
    }
}
