package dev.posthorn.inbox;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * What the handlers of this process have in hand, those of all its consumers and of replays: they would all die together. So
 * an event that may end the process is given to its handler only while no other one is at work.
 */
public final class Hands {

    /** Fair: otherwise those who come beside others would never leave room for one alone. */
    private static final ReadWriteLock ALL = new ReentrantReadWriteLock(true);

    private Hands() {}

    /** Held while a handler runs beside others. */
    public static Lock beside() {
        return ALL.readLock();
    }

    /** Held while one runs alone. */
    public static Lock alone() {
        return ALL.writeLock();
    }
}
