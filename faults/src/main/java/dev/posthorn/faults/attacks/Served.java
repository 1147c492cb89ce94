package dev.posthorn.faults.attacks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** How one valid publisher was treated. */
final class Served {

    private final String over;
    private final List<Long> latencies = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private int served;
    private int shed;

    /**
     * @param over by which protocol it publishes
     */
    Served(String over) {
        this.over = over;
    }

    synchronized void served(long begun) {
        served++;
        took(begun);
    }

    /** Turned away in good order. */
    synchronized void shed(long begun) {
        shed++;
        took(begun);
    }

    synchronized void failed(long begun, String how) {
        failures.add(how);
        took(begun);
    }

    private void took(long begun) {
        latencies.add(System.nanoTime() - begun);
    }

    private int calls() {
        return served + shed + failures.size();
    }

    synchronized double percent() {
        return calls() == 0 ? 0 : 100.0 * served / calls();
    }

    /** Whether at least one call was served, and so many of a hundred. */
    synchronized boolean isEnough(double leastPercent) {
        return served > 0 && percent() >= leastPercent;
    }

    /** How long 99 of 100 calls took at most, whatever they were answered. */
    synchronized Duration p99() {
        List<Long> sorted = new ArrayList<>(latencies);
        Collections.sort(sorted);
        return sorted.isEmpty() ? Duration.ZERO : Duration.ofNanos(sorted.get((sorted.size() - 1) * 99 / 100));
    }

    @Override
    public synchronized String toString() {
        return "of " + calls() + " calls of a valid publisher over " + over + " " + served + " were served, " + shed
                + " shed, " + failures.size() + " failed"
                + (failures.isEmpty() ? "" : ", first with: " + failures.get(0));
    }
}
