package dev.posthorn.server.types;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Names that need not be stored again. Callers choose them, so only the latest are remembered; one that was forgotten
 * costs a statement that changes nothing. Thread-safe.
 */
public final class SeenNames {

    private final int most;
    private volatile Set<String> latest = ConcurrentHashMap.newKeySet();
    private volatile Set<String> before = Set.of();

    /**
     * @param most how many are remembered for certain; never more than twice as many
     */
    public SeenNames(int most) {
        this.most = most;
    }

    /** Whoever is asked for stays. */
    public boolean contains(String name) {
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
        before = Set.of();
        latest = ConcurrentHashMap.newKeySet();
    }

    int size() {
        return latest.size() + before.size();
    }
}
