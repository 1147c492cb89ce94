package dev.posthorn.kafka.consumer;

import dev.posthorn.error.Outage;
import dev.posthorn.event.Event;
import dev.posthorn.inbox.ConsumerListener;
import dev.posthorn.inbox.Consumption;
import dev.posthorn.inbox.FailedAttempt;
import dev.posthorn.inbox.RejectedEventException;
import dev.posthorn.relay.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls the handler for what is in the lines, in one thread of several. */
final class LineWorker implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(InboxConsumer.class);

    /** How long to wait when it is not the event's fault. */
    private static final Duration OUTAGE_PAUSE = Duration.ofSeconds(1);

    private final String consumer;
    private final Lines lines;
    private final int batchSize;
    private final Consumption consumption;
    private final DeadEnd deadEnd;
    private final RetryPolicy retry;
    private final ConsumerListener listener;

    LineWorker(
            String consumer,
            Lines lines,
            int batchSize,
            Consumption consumption,
            DeadEnd deadEnd,
            RetryPolicy retry,
            ConsumerListener listener) {
        this.consumer = consumer;
        this.lines = lines;
        this.batchSize = batchSize;
        this.consumption = consumption;
        this.deadEnd = deadEnd;
        this.retry = retry;
        this.listener = listener;
    }

    @Override
    public void run() {
        try {
            List<Portion> portions = lines.take(batchSize);
            while (!portions.isEmpty()) {
                work(portions);
                portions = lines.take(batchSize);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void work(List<Portion> portions) {
        if (isOneRecord(portions) || !areReadable(portions)) {
            portions.forEach(this::oneByOne);
            return;
        }
        AtomicBoolean called = new AtomicBoolean();
        try {
            List<Event> events = portions.stream()
                    .flatMap(portion -> portion.records().stream())
                    .map(Taken::event)
                    .toList();
            take(events, called);
            portions.forEach(portion -> lines.release(portion, portion.records().size()));
        } catch (Throwable e) {
            if (isNobodysFault(e, called)) {
                portions.forEach(portion -> lines.postpone(portion, 0, OUTAGE_PAUSE));
            } else {
                log.debug("Consumer {}: a batch failed, handling its events one by one", consumer, e);
                portions.forEach(this::oneByOne);
            }
        }
    }

    private static boolean isOneRecord(List<Portion> portions) {
        return portions.size() == 1 && portions.get(0).records().size() == 1;
    }

    private static boolean areReadable(List<Portion> portions) {
        return portions.stream().flatMap(portion -> portion.records().stream()).allMatch(Taken::isReadable);
    }

    private void take(List<Event> events, AtomicBoolean called) throws Exception {
        int fresh = consumption.take(events, () -> called.set(true));
        if (fresh > 0) {
            listener.processed(consumer, fresh);
        }
        if (fresh < events.size()) {
            listener.duplicates(consumer, events.size() - fresh);
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
        long started = System.nanoTime();
        if (!taken.isReadable()) {
            return failed(taken, FailedAttempt.since(started, taken.whyUnreadable()));
        }
        AtomicBoolean called = new AtomicBoolean();
        try {
            take(List.of(taken.event()), called);
            return Optional.empty();
        } catch (Throwable e) { // An error too: a message that overflows the stack must not end the thread.
            return isNobodysFault(e, called)
                    ? Optional.of(OUTAGE_PAUSE)
                    : failed(taken, FailedAttempt.since(started, e));
        }
    }

    /** Nothing can be said against an event whose handler was not even called. */
    private boolean isNobodysFault(Throwable e, AtomicBoolean called) {
        boolean nobodys =
                !called.get() || Outage.isOne(e) || Thread.currentThread().isInterrupted();
        if (nobodys) {
            log.warn(
                    "Consumer {}: {}. That counts for no event; trying again every {} ms",
                    consumer,
                    e.getMessage(),
                    OUTAGE_PAUSE.toMillis());
        }
        return nobodys;
    }

    private Optional<Duration> failed(Taken taken, FailedAttempt attempt) {
        taken.failed(attempt);
        int attempts = taken.failures().size();
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
            listener.deadLettered(consumer, taken.event(), failures.size(), last);
            return Optional.empty();
        } catch (Exception e) {
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
