package dev.posthorn.relay;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * What one settle writes beside the mark, collected since the last. Of several changes of one row the last one counts.
 * The order of rows is the order in which they take their places behind their keys.
 */
final class Changes {

    final Map<Long, RowChange> rows = new LinkedHashMap<>();
    final Set<Long> removedRows = new LinkedHashSet<>();
    final List<LetterChange> letters = new ArrayList<>();
    final List<AttemptRecord> attempts = new ArrayList<>();
    final List<ItemChange> items = new ArrayList<>();
    final Map<Long, String> answers = new LinkedHashMap<>();
    private final List<Runnable> afterCommit = new ArrayList<>();

    /** Those whose rows are finished because they have arrived. */
    final List<Tracked> arrived = new ArrayList<>();

    /** How many events that have a row were finished: places in the room that become free with the commit. */
    private int places;

    void put(RowChange row) {
        rows.remove(row.seq());
        removedRows.remove(row.seq());
        rows.put(row.seq(), row);
    }

    void removeRow(long seq) {
        rows.remove(seq);
        removedRows.add(seq);
    }

    void afterCommit(Runnable news) {
        afterCommit.add(news);
    }

    void committed() {
        afterCommit.forEach(Runnable::run);
    }

    void freePlace() {
        places++;
    }

    int places() {
        return places;
    }

    boolean isEmpty() {
        return rows.isEmpty()
                && removedRows.isEmpty()
                && letters.isEmpty()
                && attempts.isEmpty()
                && items.isEmpty()
                && answers.isEmpty()
                && places == 0;
    }

    /** The greatest seq that gets a row or a dead letter; 0 if none does. */
    long greatestSeq() {
        return LongStream.concat(
                        rows.keySet().stream().mapToLong(seq -> seq),
                        letters.stream().mapToLong(LetterChange::seq))
                .max()
                .orElse(0);
    }

    /** About how many events they are of: most change in more than one way. */
    int size() {
        int greatest = Math.max(letters.size(), Math.max(attempts.size(), items.size()));
        return Math.max(greatest, rows.size() + removedRows.size()) + answers.size();
    }
}
