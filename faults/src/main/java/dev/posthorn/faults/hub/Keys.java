package dev.posthorn.faults.hub;

import dev.posthorn.faults.harness.Change;
import java.util.SplittableRandom;
import java.util.UUID;

/** The keys of one publisher, which no other one uses. Their events count 1, 2, 3 … in the order of publication. */
final class Keys {

    private final String publisher;
    private final Traffic traffic;
    private final SplittableRandom random;
    private final long[] counters;

    Keys(String publisher, Traffic traffic, SplittableRandom random) {
        this.publisher = publisher;
        this.traffic = traffic;
        this.random = random;
        this.counters = new long[traffic.keys()];
    }

    Change next() {
        int key = random.nextInt(counters.length);
        return new Change(id(), traffic.key(publisher, key), ++counters[key]);
    }

    Traffic traffic() {
        return traffic;
    }

    static String text(Change change) {
        return change.aggregate() + " " + change.counter();
    }

    /** A random UUID by its version, too: one that looks name-based is a text to the hub, which knows it by another. */
    private UUID id() {
        long high = (random.nextLong() & ~0xF000L) | 0x4000L;
        long low = (random.nextLong() & 0x3FFFFFFFFFFFFFFFL) | 0x8000000000000000L;
        return new UUID(high, low);
    }
}
