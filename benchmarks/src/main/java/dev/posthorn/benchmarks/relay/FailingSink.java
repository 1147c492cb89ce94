package dev.posthorn.benchmarks.relay;

import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.sink.Answer;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.sink.Sink;
import java.time.Duration;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Takes everything at once and forgets it, one event of a key at a time, but for events that fail: so that what is
 * measured is the log, the relay and what failures cost them. Or it takes a while for each, as a receiver does.
 */
final class FailingSink implements Sink {

    /** As an HTTP sink's connections. */
    private static final int AT_A_TIME = 64;

    private static final Outcome FAILED = new Outcome.Retry(ErrorClass.SERVER_ERROR, "as the benchmark wants");

    private final Predicate<RecordedEvent> fails;

    /** Answers after a while; at once if there is none. */
    private final @Nullable Executor later;

    private FailingSink(Predicate<RecordedEvent> fails) {
        this(fails, null);
    }

    private FailingSink(Predicate<RecordedEvent> fails, @Nullable Executor later) {
        this.fails = fails;
        this.later = later;
    }

    static FailingSink never() {
        return new FailingSink(event -> false);
    }

    /** Fails all events of a key, whenever they come. */
    static FailingSink ofKey(String key) {
        return new FailingSink(event -> key.equals(event.event().key()));
    }

    /** Fails every so many events when they come first. */
    static FailingSink onceEvery(int events) {
        Set<Long> failed = ConcurrentHashMap.newKeySet();
        return new FailingSink(event -> event.seq() % events == 0 && failed.add(event.seq()));
    }

    /** Fails all events of that share of the keys, whenever they come; answers after so long. */
    static FailingSink ofPercent(int percent, Duration delay) {
        return new FailingSink(
                event -> isAmong(percent, event.event()),
                delay.isZero()
                        ? null
                        : CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS, Runnable::run));
    }

    /** Whether the event's key is among those that fail. */
    static boolean isAmong(int percent, Event event) {
        return new SplittableRandom(String.valueOf(event.key()).hashCode()).nextInt(100) < percent;
    }

    @Override
    public boolean keepsOrder() {
        return false;
    }

    @Override
    public int concurrency() {
        return later == null ? Integer.MAX_VALUE : AT_A_TIME;
    }

    @Override
    public Channel open(String lane, Duration timeout) {
        return new Channel() {
            @Override
            public void send(RecordedEvent event, int attempt, Answer answer) {
                Outcome outcome = fails.test(event) ? FAILED : Outcome.DELIVERED;
                if (later == null) {
                    answer.with(outcome);
                } else {
                    later.execute(() -> answer.with(outcome));
                }
            }

            @Override
            public void close() {}
        };
    }
}
