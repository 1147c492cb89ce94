package dev.posthorn.server.rollup;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.sink.Outcome;
import dev.posthorn.subscription.RelayListener;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Counts what this hub's relay does, by subscription, until somebody takes what was counted. Thread-safe. */
final class Tally implements RelayListener {

    private static final Work FAILED = new Work(0, 1, 0);

    private final Map<String, Work> counted = new ConcurrentHashMap<>();

    @Override
    public void delivered(String subscription, String lane, int events) {
        add(subscription, new Work(events, 0, 0));
    }

    @Override
    public void retried(
            String subscription, RecordedEvent event, int attempts, Outcome.Failure failure, Duration delay) {
        add(subscription, FAILED);
    }

    @Override
    public void deadLettered(
            String subscription, RecordedEvent event, int attempts, Outcome.Failure failure, boolean holdsKey) {
        add(subscription, new Work(0, 1, 1));
    }

    /** The answer that paused it counts for no event, so nothing else tells of it. */
    @Override
    public void paused(String subscription, String reason) {
        add(subscription, FAILED);
    }

    void add(String subscription, Work work) {
        counted.merge(subscription, work, Work::plus);
    }

    /** What was counted since the last call. */
    Map<String, Work> take() {
        Map<String, Work> taken = new HashMap<>();
        for (String subscription : List.copyOf(counted.keySet())) {
            Work work = counted.remove(subscription);
            if (work != null) {
                taken.put(subscription, work);
            }
        }
        return taken;
    }
}
