package dev.posthorn.relay.store;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What one settle writes beside the mark, collected since the last. Of several changes of one row the last one counts.
 * The order of rows is the order in which they take their places behind their keys.
 */
public final class Changes {

    public final Map<Long, RowChange> rows = new LinkedHashMap<>();
    public final Set<Long> removedRows = new LinkedHashSet<>();
    public final List<LetterChange> letters = new ArrayList<>();
    public final List<AttemptRecord> attempts = new ArrayList<>();
    public final List<ItemChange> items = new ArrayList<>();
    public final Map<Long, String> answers = new LinkedHashMap<>();
    private final Map<Long, List<Runnable>> afterCommit = new LinkedHashMap<>();
    private final boolean deadHoldTheirKeys;

    /** How many events that have a row were finished: places in the room that become free with the commit. */
    private int places;

    public Changes() {
        this(false);
    }

    /** None yet, for a subscription whose dead letters hold their keys or do not. */
    public Changes(boolean deadHoldTheirKeys) {
        this.deadHoldTheirKeys = deadHoldTheirKeys;
    }

    public void put(RowChange row) {
        rows.remove(row.seq());
        removedRows.remove(row.seq());
        rows.put(row.seq(), row);
    }

    public void removeRow(long seq) {
        rows.remove(seq);
        removedRows.add(seq);
    }

    /** What there is to tell of an event once it is written. */
    public void afterCommit(long seq, Runnable news) {
        afterCommit.computeIfAbsent(seq, s -> new ArrayList<>()).add(news);
    }

    /**
     * Tells the news of what was written.
     *
     * @param setAside events of which something else is true now
     */
    public void committed(Set<Long> setAside) {
        afterCommit.forEach((seq, news) -> {
            if (!setAside.contains(seq)) {
                news.forEach(Runnable::run);
            }
        });
    }

    public void freePlace() {
        places++;
    }

    public int places() {
        return places;
    }

    public boolean isEmpty() {
        return rows.isEmpty()
                && removedRows.isEmpty()
                && letters.isEmpty()
                && attempts.isEmpty()
                && items.isEmpty()
                && answers.isEmpty()
                && places == 0;
    }

    public boolean doDeadHoldTheirKeys() {
        return deadHoldTheirKeys;
    }

    /** Those of each event by themselves, in the order in which their rows take their places, and each answer. */
    public List<Changes> apart() {
        Map<Long, Changes> bySeq = new LinkedHashMap<>();
        rows.forEach((seq, row) -> of(seq, bySeq).rows.put(seq, row));
        removedRows.forEach(seq -> of(seq, bySeq).removedRows.add(seq));
        letters.forEach(letter -> of(letter.seq(), bySeq).letters.add(letter));
        attempts.forEach(attempt -> of(attempt.seq(), bySeq).attempts.add(attempt));
        items.forEach(item -> of(item.seq(), bySeq).items.add(item));
        List<Changes> all = new ArrayList<>(bySeq.values());
        answers.forEach((id, answer) -> {
            Changes one = new Changes();
            one.answers.put(id, answer);
            all.add(one);
        });
        return all;
    }

    private Changes of(long seq, Map<Long, Changes> bySeq) {
        return bySeq.computeIfAbsent(seq, s -> new Changes(deadHoldTheirKeys));
    }

    public static Changes together(List<Changes> some) {
        Changes all = new Changes();
        for (Changes each : some) {
            all.rows.putAll(each.rows);
            all.removedRows.addAll(each.removedRows);
            all.letters.addAll(each.letters);
            all.attempts.addAll(each.attempts);
            all.items.addAll(each.items);
            all.answers.putAll(each.answers);
        }
        return all;
    }

    /** The greatest seq that gets a row or a dead letter; 0 if none does. */
    public long greatestSeq() {
        long greatest = 0;
        for (long seq : rows.keySet()) {
            greatest = Math.max(greatest, seq);
        }
        for (LetterChange letter : letters) {
            greatest = Math.max(greatest, letter.seq());
        }
        return greatest;
    }

    /** About how many events they are of: most change in more than one way. */
    public int size() {
        int greatest = Math.max(letters.size(), Math.max(attempts.size(), items.size()));
        return Math.max(greatest, rows.size() + removedRows.size()) + answers.size();
    }
}
