package dev.posthorn.faults.load;

import java.util.random.RandomGenerator;

/** The kinds of transaction a writer makes, with how often each is chosen. */
enum Move {
    PLAIN(40),
    /** Several events of one aggregate by one statement. */
    BATCH(12),
    /** Two aggregates, locked in a fixed order. */
    TWO_AGGREGATES(10),
    ROLLBACK(8),
    /** A part is rolled back to a savepoint. */
    SAVEPOINT(8),
    /** Ended later, by another connection. */
    PREPARED(8),
    /** Takes its transaction id long before its aggregate's lock. */
    EARLY_XID(14);

    private final int weight;

    Move(int weight) {
        this.weight = weight;
    }

    static Move any(RandomGenerator random) {
        int total = 0;
        for (Move move : values()) {
            total += move.weight;
        }
        int left = random.nextInt(total);
        for (Move move : values()) {
            left -= move.weight;
            if (left < 0) {
                return move;
            }
        }
        return PLAIN;
    }

    /** Anything that a connection can do alone. */
    static Move enduring(RandomGenerator random) {
        Move move = any(random);
        return move == PREPARED ? PLAIN : move;
    }

    /** What a service that never does anything special does. */
    static Move ordinary(RandomGenerator random) {
        return random.nextInt(10) == 0 ? ROLLBACK : PLAIN;
    }
}
