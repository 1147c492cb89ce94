package dev.posthorn.kafka.consumer;

import dev.posthorn.error.Outage;
import dev.posthorn.inbox.ConsumerListener;
import dev.posthorn.inbox.Consumption;
import dev.posthorn.inbox.Counted;
import dev.posthorn.inbox.FailedAttempt;
import dev.posthorn.inbox.Hands;
import dev.posthorn.inbox.RejectedEventException;
import dev.posthorn.subscription.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls the handler for what is in the queues, in one thread of several. */
final class KeyQueueWorker implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(InboxConsumer.class);

    /** How long to wait when it is not the event's fault. */
    private static final Duration OUTAGE_PAUSE = Duration.ofSeconds(1);

    private static final long WARN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final String consumer;
    private final KeyQueues queues;
    private final int batchSize;
    private final Consumption consumption;
    private final CrashTracker crashTracker;
    private final DeadLetterTarget deadLetters;
    private final RetryPolicy retry;
    private final ConsumerListener listener;
    private long warnedAt = System.nanoTime() - WARN_EVERY_NANOS;

    KeyQueueWorker(ConsumerParts parts, int batchSize, DeadLetterTarget deadLetters, RetryPolicy retry) {
        this.consumer = parts.name();
        this.queues = parts.queues();
        this.batchSize = batchSize;
        this.consumption = parts.consumption();
        this.crashTracker = parts.crashTracker();
        this.deadLetters = deadLetters;
        this.retry = retry;
        this.listener = parts.listener();
    }

    /** Nothing ends it but closed queues: whoever interrupts it or overflows its stack is a handler, and others wait. */
    @Override
    public void run() {
        boolean going = true;
        while (going) {
            try {
                List<RecordBatch> batches = queues.take(batchSize);
                going = !batches.isEmpty();
                if (going) {
                    work(batches);
                }
            } catch (InterruptedException e) {
                log.debug("Consumer {}: a handler has left its thread interrupted; going on", consumer);
            } catch (Throwable bug) {
                log.error("Consumer {}: an error nobody expected; going on", consumer, bug);
            }
        }
    }

    private void work(List<RecordBatch> batches) {
        List<FetchedRecord> all =
                batches.stream().flatMap(batch -> batch.records().stream()).toList();
        if (!begin(all)) {
            batches.forEach(batch -> queues.postpone(batch, 0, OUTAGE_PAUSE));
        } else if (all.size() == 1 || !all.stream().allMatch(KeyQueueWorker::goesWithOthers)) {
            batches.forEach(this::oneByOne);
        } else {
            together(batches, all);
        }
    }

    /** Whether it is known what the members before have left of these partitions. */
    private boolean begin(List<FetchedRecord> all) {
        try {
            crashTracker.begin(all.stream().map(FetchedRecord::partition).collect(Collectors.toSet()));
            return true;
        } catch (Exception e) {
            warn(e);
            return false;
        }
    }

    private void together(List<RecordBatch> batches, List<FetchedRecord> all) {
        AtomicBoolean called = new AtomicBoolean();
        try {
            take(all, called);
        } catch (Throwable e) {
            if (isNobodysFault(e, called)) {
                batches.forEach(batch -> queues.postpone(batch, 0, OUTAGE_PAUSE));
            } else {
                log.debug("Consumer {}: a batch failed, handling its events one by one", consumer, e);
                batches.forEach(this::oneByOne);
            }
            return;
        }
        batches.forEach(batch -> queues.release(batch, batch.records().size()));
    }

    private static boolean goesWithOthers(FetchedRecord fetched) {
        return fetched.isReadable() && fetched.attempts() == 0;
    }

    private void take(List<FetchedRecord> all, AtomicBoolean called) throws Exception {
        Lock hands = Hands.beside();
        hands.lockInterruptibly();
        try {
            handOver(all, called);
        } finally {
            hands.unlock();
        }
    }

    /** What has to be counted is counted before: of an event that ends the process nothing is heard afterwards. */
    private void handOver(List<FetchedRecord> all, AtomicBoolean called) throws Exception {
        List<Counted> counted = crashTracker.count(all);
        int fresh = take(all, counted, called);
        if (fresh > 0) {
            listener.processed(consumer, fresh);
        }
        if (fresh < all.size()) {
            listener.duplicates(consumer, all.size() - fresh);
        }
    }

    /** Interrupted is what the handler was at; what comes after it on this thread is not. */
    private int take(List<FetchedRecord> all, List<Counted> counted, AtomicBoolean called) throws Exception {
        try {
            return consumption.take(all.stream().map(FetchedRecord::event).toList(), counted, () -> called.set(true));
        } finally {
            boolean unused = Thread.interrupted();
        }
    }

    /** The first one that is to be tried again ends it: those behind it are of the same key. */
    private void oneByOne(RecordBatch batch) {
        int done = 0;
        for (FetchedRecord fetched : batch.records()) {
            if (fetched.partition().isGiven()) {
                break;
            }
            Optional<Duration> delay = one(fetched);
            if (delay.isPresent()) {
                queues.postpone(batch, done, delay.get());
                return;
            }
            done++;
        }
        queues.release(batch, done);
    }

    /** Empty if it is done, one way or the other. */
    private Optional<Duration> one(FetchedRecord fetched) {
        if (fetched.isCondemned()) {
            return setAside(fetched);
        }
        if (!fetched.isReadable()) {
            return failed(fetched, FailedAttempt.since(System.nanoTime(), fetched.whyUnreadable()));
        }
        if (CrashTracker.isDeadly(fetched, retry)) {
            fetched.died();
            return setAside(fetched);
        }
        AtomicBoolean called = new AtomicBoolean();
        long started = System.nanoTime();
        try {
            if (!CrashTracker.isSuspect(fetched)) {
                take(List.of(fetched), called);
            } else if (!takeAlone(fetched, called)) {
                return Optional.of(OUTAGE_PAUSE);
            }
            return Optional.empty();
        } catch (Throwable e) { // An error too: a message that overflows the stack must not end the thread.
            return isNobodysFault(e, called)
                    ? Optional.of(OUTAGE_PAUSE)
                    : failed(fetched, FailedAttempt.since(started, e));
        }
    }

    /** False if others are in hand for too long. */
    private boolean takeAlone(FetchedRecord fetched, AtomicBoolean called) throws Exception {
        if (!CrashTracker.tryAlone()) {
            return false;
        }
        try {
            handOver(List.of(fetched), called);
            return true;
        } finally {
            Hands.alone().unlock();
        }
    }

    /** Nothing can be said against an event whose handler was not even called, or was cut off by our own end. */
    private boolean isNobodysFault(Throwable e, AtomicBoolean called) {
        boolean nobodys = !called.get() || Outage.isOne(e) || queues.isClosed();
        if (nobodys) {
            warn(e);
        }
        return nobodys;
    }

    /** Not of each event: thousands may wait for the same database. */
    private void warn(Throwable e) {
        long now = System.nanoTime();
        if (now - warnedAt >= WARN_EVERY_NANOS) {
            warnedAt = now;
            log.warn(
                    "Consumer {}: {}. That counts for no event; trying again every {} ms",
                    consumer,
                    e.getMessage(),
                    OUTAGE_PAUSE.toMillis());
        }
    }

    private Optional<Duration> failed(FetchedRecord fetched, FailedAttempt attempt) {
        fetched.failed(attempt);
        int attempts = fetched.attempts();
        if (attempt.failure() instanceof RejectedEventException || retry.isExhausted(attempts)) {
            fetched.condemn();
            return setAside(fetched);
        }
        Duration delay = retry.delay(attempts, ThreadLocalRandom.current());
        listener.retried(consumer, fetched.event(), attempts, attempt.failure(), delay);
        return Optional.of(delay);
    }

    private Optional<Duration> setAside(FetchedRecord fetched) {
        try {
            deadLetters.keep(fetched);
            List<FailedAttempt> failures = fetched.failures();
            Throwable last = failures.get(failures.size() - 1).failure();
            listener.deadLettered(consumer, fetched.event(), fetched.attempts(), last);
            return Optional.empty();
        } catch (Throwable e) {
            log.warn(
                    "Consumer {}: {} failed for good and could not be made a dead letter: {}. Later events of its key"
                            + " wait; trying again in {} ms",
                    consumer,
                    fetched.event(),
                    e.toString(),
                    OUTAGE_PAUSE.toMillis());
            return Optional.of(OUTAGE_PAUSE);
        }
    }
}
