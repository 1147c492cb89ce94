package dev.posthorn.kafka.consumer;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What was fetched and is not done, a queue for each key: a thread works on a queue alone, so that the order of a key is
 * kept, and any thread takes any queue, so that a slow or a failing key keeps no other one waiting.
 */
final class KeyQueues {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<Object, KeyQueue> all = new HashMap<>();
    private final Deque<KeyQueue> ready = new ArrayDeque<>();
    private final PriorityQueue<KeyQueue> waiting = new PriorityQueue<>(Comparator.comparingLong(KeyQueue::dueNanos));
    private final int mostRecords;
    private final long mostBytes;
    private int size;
    private long bytes;
    private boolean closed;

    KeyQueues(int mostRecords, long mostBytes) {
        this.mostRecords = mostRecords;
        this.mostBytes = mostBytes;
    }

    void add(Collection<FetchedRecord> records) {
        lock.lock();
        try {
            for (FetchedRecord record : records) {
                KeyQueue queue = all.computeIfAbsent(record.queueKey(), key -> new KeyQueue(key, record.partition()));
                if (queue.isEmpty()) {
                    ready.add(queue);
                }
                queue.add(record);
            }
            size += records.size();
            bytes += bytesOf(records);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** How much of what it may hold it holds: 1 is full. */
    double fill() {
        lock.lock();
        try {
            return Math.max((double) size / mostRecords, (double) bytes / mostBytes);
        } finally {
            lock.unlock();
        }
    }

    private void forget(List<FetchedRecord> records) {
        size -= records.size();
        bytes -= bytesOf(records);
    }

    private static long bytesOf(Collection<FetchedRecord> records) {
        return records.stream().mapToLong(FetchedRecord::bytes).sum();
    }

    /** Waits for something to do, at most so many records; empty means that there will be nothing any more. */
    List<RecordBatch> take(int most) throws InterruptedException {
        lock.lock();
        try {
            KeyQueue first = next();
            while (first == null && !closed) {
                changed.awaitNanos(nanosUntil(waiting.peek()));
                first = next();
            }
            if (first == null || closed) {
                return List.of();
            }
            return first.isSuspect() ? List.of(batch(first, 1)) : batches(first, most);
        } finally {
            lock.unlock();
        }
    }

    private @Nullable KeyQueue next() {
        long now = System.nanoTime();
        while (!waiting.isEmpty() && waiting.peek().dueNanos() - now <= 0) {
            ready.add(waiting.poll());
        }
        return ready.poll();
    }

    /** A day is as good as for ever: whoever adds something wakes the others. */
    private static long nanosUntil(@Nullable KeyQueue next) {
        return next == null ? TimeUnit.DAYS.toNanos(1) : Math.max(1, next.dueNanos() - System.nanoTime());
    }

    /** Of several queues, until there are enough. */
    private List<RecordBatch> batches(KeyQueue first, int most) {
        List<RecordBatch> batches = new ArrayList<>();
        batches.add(batch(first, most));
        int left = most - batches.get(0).records().size();
        while (left > 0 && !ready.isEmpty() && !ready.peek().isSuspect()) {
            RecordBatch next = batch(ready.remove(), left);
            batches.add(next);
            left -= next.records().size();
        }
        return batches;
    }

    private static RecordBatch batch(KeyQueue queue, int most) {
        return new RecordBatch(queue, queue.begin(most));
    }

    /** So many of the batch are done; the queue goes on with the next ones. */
    void release(RecordBatch batch, int done) {
        end(batch, done, null);
    }

    /** So many are done, and the one after them is not to be tried again before that time. */
    void postpone(RecordBatch batch, int done, Duration delay) {
        end(batch, done, delay);
    }

    private void end(RecordBatch batch, int done, @Nullable Duration delay) {
        batch.records()
                .subList(0, done)
                .forEach(record -> record.partition().done(record.record().offset()));
        lock.lock();
        try {
            KeyQueue queue = batch.queue();
            forget(queue.end(done));
            if (queue.partition().isGiven()) {
                forget(queue.drop());
            }
            if (queue.isEmpty()) {
                all.remove(queue.key());
            } else if (delay == null) {
                ready.add(queue);
            } else {
                queue.dueAt(System.nanoTime() + delay.toNanos());
                waiting.add(queue);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Forgets what nobody works on yet of partitions that were given up. */
    void dropGiven() {
        lock.lock();
        try {
            for (KeyQueue queue : all.values()) {
                if (queue.partition().isGiven()) {
                    forget(queue.drop());
                }
            }
            all.values().removeIf(KeyQueue::isEmpty);
            ready.removeIf(KeyQueue::isEmpty);
            waiting.removeIf(KeyQueue::isEmpty);
        } finally {
            lock.unlock();
        }
    }

    /** Waits until nobody works on these partitions; false if that takes longer than the given time. */
    boolean awaitIdle(Set<AssignedPartition> partitions, Duration most) throws InterruptedException {
        lock.lock();
        try {
            long left = most.toNanos();
            while (isBusy(partitions)) {
                if (left <= 0) {
                    return false;
                }
                left = changed.awaitNanos(left);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private boolean isBusy(Set<AssignedPartition> partitions) {
        return all.values().stream().anyMatch(queue -> queue.isBusy() && partitions.contains(queue.partition()));
    }

    boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /** Gives nothing out any more. */
    void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
