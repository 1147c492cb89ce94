package dev.posthorn.kafka.consumer;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** The records of one key of a partition, in order. Guarded by its {@link Lines}. */
final class Line {

    private final Object name;
    private final Assigned partition;
    private final Deque<Taken> records = new ArrayDeque<>();

    /** How many at its head a thread is working on. */
    private int busy;

    private long dueNanos;

    Line(Object name, Assigned partition) {
        this.name = name;
        this.partition = partition;
    }

    Object name() {
        return name;
    }

    Assigned partition() {
        return partition;
    }

    boolean isEmpty() {
        return records.isEmpty();
    }

    boolean isBusy() {
        return busy > 0;
    }

    long dueNanos() {
        return dueNanos;
    }

    void dueAt(long nanos) {
        dueNanos = nanos;
    }

    void add(Taken record) {
        records.add(record);
    }

    /** Whether its head has failed before: then it goes alone, so that it does no harm to others. */
    boolean isSuspect() {
        Taken head = records.peek();
        return head != null && (!head.isReadable() || !head.failures().isEmpty());
    }

    /** Up to so many of its head, from now on in work. */
    List<Taken> begin(int most) {
        List<Taken> head = records.stream().limit(most).toList();
        busy = head.size();
        return head;
    }

    /** Ends the work: so many are done. Gives them. */
    List<Taken> end(int done) {
        busy = 0;
        List<Taken> gone = new ArrayList<>(done);
        for (int i = 0; i < done; i++) {
            gone.add(records.remove());
        }
        return gone;
    }

    /** Forgets what is not in work. Gives it. */
    List<Taken> drop() {
        List<Taken> gone = new ArrayList<>();
        while (records.size() > busy) {
            gone.add(records.removeLast());
        }
        return gone;
    }
}
