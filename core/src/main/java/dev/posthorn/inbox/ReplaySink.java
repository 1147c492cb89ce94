package dev.posthorn.inbox;

import dev.posthorn.error.Outage;
import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.sink.Answer;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.sink.Sink;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Hands replayed dead letters to the consumer that could not take them. */
final class ReplaySink implements Sink {

    /** Replays are behind live events in everything, so also in connections. */
    private static final int CONCURRENCY = 2;

    private final Consumption consumption;

    ReplaySink(Consumption consumption) {
        this.consumption = consumption;
    }

    @Override
    public boolean keepsOrder() {
        return false;
    }

    @Override
    public int concurrency() {
        return CONCURRENCY;
    }

    @Override
    public Channel open(String lane, Duration timeout) {
        return new HandlerChannel(lane, timeout);
    }

    @Override
    public String toString() {
        return consumption.toString();
    }

    /** A handler that takes too long is not waited for; if it has its effect after all, the inbox knows. */
    private final class HandlerChannel implements Channel {

        private final Duration timeout;
        private final ExecutorService threads;

        HandlerChannel(String lane, Duration timeout) {
            this.timeout = timeout;
            this.threads = Executors.newCachedThreadPool(work -> daemon(work, lane));
        }

        private static Thread daemon(Runnable work, String lane) {
            Thread thread = new Thread(work, "posthorn-replay-" + lane);
            thread.setDaemon(true);
            return thread;
        }

        @Override
        public void send(RecordedEvent event, int attempt, Answer answer) {
            @SuppressWarnings("unused") // Nobody waits for it.
            Future<Void> answered = CompletableFuture.supplyAsync(() -> outcome(event.markedEvent()), threads)
                    .completeOnTimeout(tooLong(), timeout.toMillis(), TimeUnit.MILLISECONDS)
                    .thenAccept(answer::with);
        }

        private Outcome tooLong() {
            return new Outcome.Retry(ErrorClass.TIMEOUT, "the handler took longer than " + timeout.toMillis() + " ms");
        }

        private Outcome outcome(Event event) {
            AtomicBoolean called = new AtomicBoolean();
            long started = System.nanoTime();
            try {
                consumption.takeAgain(event, () -> called.set(true));
                return Outcome.DELIVERED;
            } catch (Throwable e) { // An error too: without an answer the lane would wait until its time is up.
                return failure(FailedAttempt.since(started, e), called.get());
            }
        }

        private static Outcome failure(FailedAttempt failed, boolean called) {
            if (!called || Outage.isOne(failed.failure())) {
                return new Outcome.Unavailable(failed.errorClass(), failed.reason());
            }
            return failed.failure() instanceof RejectedEventException
                    ? new Outcome.Reject(failed.errorClass(), failed.reason())
                    : new Outcome.Retry(failed.errorClass(), failed.reason());
        }

        @Override
        public void close() {
            threads.shutdownNow();
        }
    }
}
