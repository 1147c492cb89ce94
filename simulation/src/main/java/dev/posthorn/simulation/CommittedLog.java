package dev.posthorn.simulation;

import dev.posthorn.simulation.Tables.EventRow;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The committed events. Almost whoever looks at them has seen all of the older transactions before, so they are also
 * kept by transaction: a look then costs as much as there is new, and not as much as there ever was.
 */
final class CommittedLog {

    private static final Comparator<EventRow> BY_SEQ = Comparator.comparingLong(EventRow::seq);

    private final TreeMap<Long, EventRow> bySeq = new TreeMap<>();
    private final TreeMap<Long, List<EventRow>> byTransaction = new TreeMap<>();

    void add(EventRow row) {
        bySeq.put(row.seq(), row);
        byTransaction.computeIfAbsent(row.txid, txid -> new ArrayList<>()).add(row);
    }

    /** A crash has undone its commit. */
    void remove(EventRow row) {
        bySeq.remove(row.seq());
        byTransaction.remove(row.txid);
    }

    boolean isEmpty() {
        return bySeq.isEmpty();
    }

    @Nullable
    EventRow get(long seq) {
        return bySeq.get(seq);
    }

    /** The greatest seq; 0 if there is no event. */
    long lastSeq() {
        return bySeq.isEmpty() ? 0 : bySeq.lastKey();
    }

    /** All of them by seq. */
    Collection<EventRow> values() {
        return bySeq.values();
    }

    /** Those by seq that were written by this transaction or a later one. */
    List<EventRow> since(long txid) {
        if (byTransaction.isEmpty() || byTransaction.lastKey() < txid) {
            return List.of();
        }
        List<EventRow> some = new ArrayList<>();
        byTransaction.tailMap(txid).values().forEach(some::addAll);
        some.sort(BY_SEQ);
        return some;
    }
}
