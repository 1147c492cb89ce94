package dev.posthorn.kafka.consumer;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** The records of one key of a partition, in order. Guarded by its {@link KeyQueues}. */
final class KeyQueue {

    private final Object key;
    private final AssignedPartition partition;
    private final Deque<FetchedRecord> records = new ArrayDeque<>();

    /** How many at its head a thread is working on. */
    private int busy;

    private long dueNanos;

    KeyQueue(Object key, AssignedPartition partition) {
        this.key = key;
        this.partition = partition;
    }

    Object key() {
        return key;
    }

    AssignedPartition partition() {
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

    void add(FetchedRecord record) {
        records.add(record);
    }

    /** Whether its head has failed before: then it goes alone, so that it does no harm to others. */
    boolean isSuspect() {
        FetchedRecord head = records.peek();
        return head != null && (!head.isReadable() || !head.failures().isEmpty());
    }

    /** Up to so many of its head, from now on in work. */
    List<FetchedRecord> begin(int most) {
        List<FetchedRecord> head = records.stream().limit(most).toList();
        busy = head.size();
        return head;
    }

    /** Ends the work: so many are done. Gives them. */
    List<FetchedRecord> end(int done) {
        busy = 0;
        List<FetchedRecord> gone = new ArrayList<>(done);
        for (int i = 0; i < done; i++) {
            gone.add(records.remove());
        }
        return gone;
    }

    /** Forgets what is not in work. Gives it. */
    List<FetchedRecord> drop() {
        List<FetchedRecord> gone = new ArrayList<>();
        while (records.size() > busy) {
            gone.add(records.removeLast());
        }
        return gone;
    }
}
