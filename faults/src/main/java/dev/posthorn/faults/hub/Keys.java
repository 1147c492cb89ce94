package dev.posthorn.faults.hub;

import dev.posthorn.faults.Change;
import java.util.SplittableRandom;
import java.util.UUID;

/** The keys of one publisher, which no other one uses. Their events count 1, 2, 3 … in the order of publication. */
final class Keys {

    private static final int COUNT = 40;

    private final String publisher;
    private final SplittableRandom random;
    private final long[] counters = new long[COUNT];

    Keys(String publisher, SplittableRandom random) {
        this.publisher = publisher;
        this.random = random;
    }

    Change next() {
        int key = random.nextInt(COUNT);
        return new Change(new UUID(random.nextLong(), random.nextLong()), publisher + "-" + key, ++counters[key]);
    }

    static String text(Change change) {
        return change.aggregate() + " " + change.counter();
    }
}
