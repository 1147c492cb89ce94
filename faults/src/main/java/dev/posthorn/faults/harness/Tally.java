package dev.posthorn.faults.harness;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/** How often what happened: a run in which the interesting things did not happen proves nothing. */
public final class Tally {

    private final Map<String, LongAdder> counts = new ConcurrentSkipListMap<>();

    public void count(String what) {
        add(what, 1);
    }

    public void add(String what, long times) {
        counts.computeIfAbsent(what, w -> new LongAdder()).add(times);
    }

    public long of(String what) {
        LongAdder count = counts.get(what);
        return count == null ? 0 : count.sum();
    }

    @Override
    public String toString() {
        return counts.entrySet().stream()
                .map(entry -> entry.getValue() + " " + entry.getKey())
                .collect(Collectors.joining(", "));
    }
}
