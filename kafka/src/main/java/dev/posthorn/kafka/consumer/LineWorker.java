package dev.posthorn.kafka.consumer;

import dev.posthorn.error.Outage;
import dev.posthorn.inbox.ConsumerListener;
import dev.posthorn.inbox.Consumption;
import dev.posthorn.inbox.Counted;
import dev.posthorn.inbox.FailedAttempt;
import dev.posthorn.inbox.Hands;
import dev.posthorn.inbox.RejectedEventException;
import dev.posthorn.relay.RetryPolicy;
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

/** Calls the handler for what is in the lines, in one thread of several. */
final class LineWorker implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(InboxConsumer.class);

    /** How long to wait when it is not the event's fault. */
    private static final Duration OUTAGE_PAUSE = Duration.ofSeconds(1);

    private static final long WARN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final String consumer;
    private final Lines lines;
    private final int batchSize;
    private final Consumption consumption;
    private final Care care;
    private final DeadEnd deadEnd;
    private final RetryPolicy retry;
    private final ConsumerListener listener;
    private long warnedAt = System.nanoTime() - WARN_EVERY_NANOS;

    LineWorker(
            String consumer,
            Lines lines,
            int batchSize,
            Consumption consumption,
            Care care,
            DeadEnd deadEnd,
            RetryPolicy retry,
            ConsumerListener listener) {
        this.consumer = consumer;
        this.lines = lines;
        this.batchSize = batchSize;
        this.consumption = consumption;
        this.care = care;
        this.deadEnd = deadEnd;
        this.retry = retry;
        this.listener = listener;
    }

    /** Nothing ends it but closed lines: whoever interrupts it or overflows its stack is a handler, and others wait. */
    @Override
    public void run() {
        boolean going = true;
        while (going) {
            try {
                List<Portion> portions = lines.take(batchSize);
                going = !portions.isEmpty();
                if (going) {
                    work(portions);
                }
            } catch (InterruptedException e) {
                log.debug("Consumer {}: a handler has left its thread interrupted; going on", consumer);
            } catch (Throwable bug) {
                log.error("Consumer {}: an error nobody expected; going on", consumer, bug);
            }
        }
    }

    private void work(List<Portion> portions) {
        List<Taken> all =
                portions.stream().flatMap(portion -> portion.records().stream()).toList();
        if (!begin(all)) {
            portions.forEach(portion -> lines.postpone(portion, 0, OUTAGE_PAUSE));
        } else if (all.size() == 1 || !all.stream().allMatch(LineWorker::goesWithOthers)) {
            portions.forEach(this::oneByOne);
        } else {
            together(portions, all);
        }
    }

    /** Whether it is known what the members before have left of these partitions. */
    private boolean begin(List<Taken> all) {
        try {
            care.begin(all.stream().map(Taken::partition).collect(Collectors.toSet()));
            return true;
        } catch (Exception e) {
            warn(e);
            return false;
        }
    }

    private void together(List<Portion> portions, List<Taken> all) {
        AtomicBoolean called = new AtomicBoolean();
        try {
            take(all, called);
        } catch (Throwable e) {
            if (isNobodysFault(e, called)) {
                portions.forEach(portion -> lines.postpone(portion, 0, OUTAGE_PAUSE));
            } else {
                log.debug("Consumer {}: a batch failed, handling its events one by one", consumer, e);
                portions.forEach(this::oneByOne);
            }
            return;
        }
        portions.forEach(portion -> lines.release(portion, portion.records().size()));
    }

    private static boolean goesWithOthers(Taken taken) {
        return taken.isReadable() && taken.attempts() == 0;
    }

    private void take(List<Taken> all, AtomicBoolean called) throws Exception {
        Lock hands = Hands.beside();
        hands.lockInterruptibly();
        try {
            handOver(all, called);
        } finally {
            hands.unlock();
        }
    }

    /** What has to be counted is counted before: of an event that ends the process nothing is heard afterwards. */
    private void handOver(List<Taken> all, AtomicBoolean called) throws Exception {
        List<Counted> counted = care.count(all);
        int fresh = take(all, counted, called);
        if (fresh > 0) {
            listener.processed(consumer, fresh);
        }
        if (fresh < all.size()) {
            listener.duplicates(consumer, all.size() - fresh);
        }
    }

    /** Interrupted is what the handler was at; what comes after it on this thread is not. */
    private int take(List<Taken> all, List<Counted> counted, AtomicBoolean called) throws Exception {
        try {
            return consumption.take(all.stream().map(Taken::event).toList(), counted, () -> called.set(true));
        } finally {
            boolean unused = Thread.interrupted();
        }
    }

    /** The first one that is to be tried again ends it: those behind it are of the same key. */
    private void oneByOne(Portion portion) {
        int done = 0;
        for (Taken taken : portion.records()) {
            if (taken.partition().isGiven()) {
                break;
            }
            Optional<Duration> delay = one(taken);
            if (delay.isPresent()) {
                lines.postpone(portion, done, delay.get());
                return;
            }
            done++;
        }
        lines.release(portion, done);
    }

    /** Empty if it is done, one way or the other. */
    private Optional<Duration> one(Taken taken) {
        if (taken.isCondemned()) {
            return setAside(taken);
        }
        if (!taken.isReadable()) {
            return failed(taken, FailedAttempt.since(System.nanoTime(), taken.whyUnreadable()));
        }
        if (Care.isDeadly(taken, retry)) {
            taken.died();
            return setAside(taken);
        }
        AtomicBoolean called = new AtomicBoolean();
        long started = System.nanoTime();
        try {
            if (!Care.isSuspect(taken)) {
                take(List.of(taken), called);
            } else if (!takeAlone(taken, called)) {
                return Optional.of(OUTAGE_PAUSE);
            }
            return Optional.empty();
        } catch (Throwable e) { // An error too: a message that overflows the stack must not end the thread.
            return isNobodysFault(e, called)
                    ? Optional.of(OUTAGE_PAUSE)
                    : failed(taken, FailedAttempt.since(started, e));
        }
    }

    /** False if others are in hand for too long. */
    private boolean takeAlone(Taken taken, AtomicBoolean called) throws Exception {
        if (!Care.tryAlone()) {
            return false;
        }
        try {
            handOver(List.of(taken), called);
            return true;
        } finally {
            Hands.alone().unlock();
        }
    }

    /** Nothing can be said against an event whose handler was not even called, or was cut off by our own end. */
    private boolean isNobodysFault(Throwable e, AtomicBoolean called) {
        boolean nobodys = !called.get() || Outage.isOne(e) || lines.isClosed();
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

    private Optional<Duration> failed(Taken taken, FailedAttempt attempt) {
        taken.failed(attempt);
        int attempts = taken.attempts();
        if (attempt.failure() instanceof RejectedEventException || retry.isExhausted(attempts)) {
            taken.condemn();
            return setAside(taken);
        }
        Duration delay = retry.delay(attempts, ThreadLocalRandom.current());
        listener.retried(consumer, taken.event(), attempts, attempt.failure(), delay);
        return Optional.of(delay);
    }

    private Optional<Duration> setAside(Taken taken) {
        try {
            deadEnd.keep(taken);
            List<FailedAttempt> failures = taken.failures();
            Throwable last = failures.get(failures.size() - 1).failure();
            listener.deadLettered(consumer, taken.event(), taken.attempts(), last);
            return Optional.empty();
        } catch (Throwable e) {
            log.warn(
                    "Consumer {}: {} failed for good and could not be made a dead letter: {}. Later events of its key"
                            + " wait; trying again in {} ms",
                    consumer,
                    taken.event(),
                    e.toString(),
                    OUTAGE_PAUSE.toMillis());
            return Optional.of(OUTAGE_PAUSE);
        }
    }
}
