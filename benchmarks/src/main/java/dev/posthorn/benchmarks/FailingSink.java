package dev.posthorn.benchmarks;

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
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * Takes everything at once and forgets it, one event of a key at a time, but for events that fail: so that what is
 * measured is the log, the relay and what failures cost them.
 */
final class FailingSink implements Sink {

    private static final Outcome FAILED = new Outcome.Retry(ErrorClass.SERVER_ERROR, "as the benchmark wants");

    private final Predicate<RecordedEvent> fails;

    private FailingSink(Predicate<RecordedEvent> fails) {
        this.fails = fails;
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

    /** Fails all events of that share of the keys, whenever they come. */
    static FailingSink ofPercent(int percent) {
        return new FailingSink(event -> isAmong(percent, event.event()));
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
    public Channel open(String lane, Duration timeout) {
        return new Channel() {
            @Override
            public void send(RecordedEvent event, int attempt, Answer answer) {
                answer.with(fails.test(event) ? FAILED : Outcome.DELIVERED);
            }

            @Override
            public void close() {}
        };
    }
}
