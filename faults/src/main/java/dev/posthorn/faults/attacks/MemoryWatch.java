package dev.posthorn.faults.attacks;

import dev.posthorn.testkit.LinuxProcess;
import java.io.IOException;
import java.time.Duration;

/** Looks every second at how much memory the hub has: its heap by its own metrics, and all of it by the system's. */
final class MemoryWatch {

    private static final Duration EVERY = Duration.ofSeconds(1);

    private long heap;
    private long resident;

    void look(Round round) throws InterruptedException {
        while (!round.isOver()) {
            note(round.hub());
            round.pause(EVERY);
        }
    }

    private synchronized void note(AttackedHub hub) {
        try {
            resident = Math.max(resident, new LinuxProcess(hub.pid()).residentBytes());
            heap = Math.max(heap, heap(hub.metrics()));
        } catch (IOException | IllegalStateException shedOrDead) {
            // The next look may tell.
        }
    }

    /** The sum over the pools of the heap. */
    private static long heap(String metrics) {
        return metrics.lines()
                .filter(line -> line.startsWith("jvm_memory_used_bytes{area=\"heap\""))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    /** The most that was seen, in MiB; garbage counts until it is collected. */
    synchronized long heap() {
        return heap >> 20;
    }

    /** The most that was seen, in MiB, with what is not in the heap. */
    synchronized long resident() {
        return resident >> 20;
    }
}
