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
 * What was fetched and is not done, a line for each key: a thread works on a line alone, so that the order of a key is
 * kept, and any thread takes any line, so that a slow or a failing key keeps no other one waiting.
 */
final class Lines {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<Object, Line> all = new HashMap<>();
    private final Deque<Line> ready = new ArrayDeque<>();
    private final PriorityQueue<Line> waiting = new PriorityQueue<>(Comparator.comparingLong(Line::dueNanos));
    private int size;
    private long bytes;
    private boolean closed;

    void add(Collection<Taken> records) {
        lock.lock();
        try {
            for (Taken record : records) {
                Line line = all.computeIfAbsent(record.line(), name -> new Line(name, record.partition()));
                if (line.isEmpty()) {
                    ready.add(line);
                }
                line.add(record);
            }
            size += records.size();
            bytes += bytesOf(records);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** How much of what it may hold it holds: 1 is full. */
    double fill(int mostRecords, long mostBytes) {
        lock.lock();
        try {
            return Math.max((double) size / mostRecords, (double) bytes / mostBytes);
        } finally {
            lock.unlock();
        }
    }

    private void forget(List<Taken> records) {
        size -= records.size();
        bytes -= bytesOf(records);
    }

    private static long bytesOf(Collection<Taken> records) {
        return records.stream().mapToLong(Taken::bytes).sum();
    }

    /** Waits for something to do, at most so many records; empty means that there will be nothing any more. */
    List<Portion> take(int most) throws InterruptedException {
        lock.lock();
        try {
            Line first = next();
            while (first == null && !closed) {
                changed.awaitNanos(nanosUntil(waiting.peek()));
                first = next();
            }
            if (first == null || closed) {
                return List.of();
            }
            return first.isSuspect() ? List.of(portion(first, 1)) : portions(first, most);
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Line next() {
        long now = System.nanoTime();
        while (!waiting.isEmpty() && waiting.peek().dueNanos() - now <= 0) {
            ready.add(waiting.poll());
        }
        return ready.poll();
    }

    /** A day is as good as for ever: whoever adds something wakes the others. */
    private static long nanosUntil(@Nullable Line next) {
        return next == null ? TimeUnit.DAYS.toNanos(1) : Math.max(1, next.dueNanos() - System.nanoTime());
    }

    /** Of several lines, until there are enough. */
    private List<Portion> portions(Line first, int most) {
        List<Portion> portions = new ArrayList<>();
        portions.add(portion(first, most));
        int left = most - portions.get(0).records().size();
        while (left > 0 && !ready.isEmpty() && !ready.peek().isSuspect()) {
            Portion next = portion(ready.remove(), left);
            portions.add(next);
            left -= next.records().size();
        }
        return portions;
    }

    private static Portion portion(Line line, int most) {
        return new Portion(line, line.begin(most));
    }

    /** So many of the portion are done; the line goes on with the next ones. */
    void release(Portion portion, int done) {
        end(portion, done, null);
    }

    /** So many are done, and the one after them is not to be tried again before that time. */
    void postpone(Portion portion, int done, Duration delay) {
        end(portion, done, delay);
    }

    private void end(Portion portion, int done, @Nullable Duration delay) {
        portion.records()
                .subList(0, done)
                .forEach(record -> record.partition().done(record.record().offset()));
        lock.lock();
        try {
            Line line = portion.line();
            forget(line.end(done));
            if (line.partition().isGiven()) {
                forget(line.drop());
            }
            if (line.isEmpty()) {
                all.remove(line.name());
            } else if (delay == null) {
                ready.add(line);
            } else {
                line.dueAt(System.nanoTime() + delay.toNanos());
                waiting.add(line);
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
            for (Line line : all.values()) {
                if (line.partition().isGiven()) {
                    forget(line.drop());
                }
            }
            all.values().removeIf(Line::isEmpty);
            ready.removeIf(Line::isEmpty);
            waiting.removeIf(Line::isEmpty);
        } finally {
            lock.unlock();
        }
    }

    /** Waits until nobody works on these partitions; false if that takes longer than the given time. */
    boolean awaitIdle(Set<Assigned> partitions, Duration most) throws InterruptedException {
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

    private boolean isBusy(Set<Assigned> partitions) {
        return all.values().stream().anyMatch(line -> line.isBusy() && partitions.contains(line.partition()));
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
