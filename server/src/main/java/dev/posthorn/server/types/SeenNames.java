package dev.posthorn.server.types;

import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Names that need not be stored again. Callers choose them, so only the latest are remembered, and for half a day, so that
 * the table learns which are still in use; one that was forgotten costs a statement. Thread-safe.
 */
public final class SeenNames {

    private static final Duration REMEMBERED = Duration.ofHours(12);

    private final int most;
    private final LongSupplier nanos;
    private volatile long since;
    private volatile Set<String> latest = ConcurrentHashMap.newKeySet();
    private volatile Set<String> before = Set.of();

    /**
     * @param most how many are remembered for certain; never more than twice as many
     */
    public SeenNames(int most) {
        this(most, System::nanoTime);
    }

    SeenNames(int most, LongSupplier nanos) {
        this.most = most;
        this.nanos = nanos;
        this.since = nanos.getAsLong();
    }

    /** Whoever is asked for stays. */
    public boolean contains(String name) {
        if (nanos.getAsLong() - since > REMEMBERED.toNanos()) {
            clear();
        }
        if (latest.contains(name)) {
            return true;
        }
        if (!before.contains(name)) {
            return false;
        }
        add(name);
        return true;
    }

    public void addAll(Collection<String> names) {
        names.forEach(this::add);
    }

    private void add(String name) {
        if (latest.size() >= most) {
            turn();
        }
        latest.add(name);
    }

    private synchronized void turn() {
        if (latest.size() >= most) {
            before = latest;
            latest = ConcurrentHashMap.newKeySet();
        }
    }

    /** Forgets all of them. */
    public synchronized void clear() {
        since = nanos.getAsLong();
        before = Set.of();
        latest = ConcurrentHashMap.newKeySet();
    }

    int size() {
        return latest.size() + before.size();
    }
}
