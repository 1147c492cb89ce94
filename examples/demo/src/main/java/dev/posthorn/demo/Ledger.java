package dev.posthorn.demo;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Sets what the order service committed against what the consumer received. Thread-safe.
 *
 * <p>An event may be received before the service hears that its commit is done, so either side may come first; an event
 * is open until both have come.
 */
final class Ledger {

    private final Map<UUID, Long> committedOnly = new HashMap<>();
    private final Map<UUID, Long> receivedOnly = new HashMap<>();
    private final Set<UUID> received = new HashSet<>();
    private final Map<String, Long> lastChange = new HashMap<>();
    private final Latencies latencies = new Latencies();
    private Latencies recent = new Latencies();
    private long recorded;
    private long rolledBack;
    private long duplicates;
    private long outOfOrder;

    /** A transaction with this event has committed. */
    synchronized void recorded(UUID id, long nanos) {
        recorded++;
        Long receivedAt = receivedOnly.remove(id);
        if (receivedAt == null) {
            committedOnly.put(id, nanos);
        } else {
            add(receivedAt - nanos);
        }
    }

    synchronized void rolledBack() {
        rolledBack++;
    }

    /** The consumer got an event; only its first arrival counts for the order of its key. */
    synchronized void received(UUID id, String key, long change, long nanos) {
        if (!received.add(id)) {
            duplicates++;
            return;
        }
        if (change < lastChange.getOrDefault(key, 0L)) {
            outOfOrder++;
        }
        lastChange.merge(key, change, Math::max);
        Long committedAt = committedOnly.remove(id);
        if (committedAt == null) {
            receivedOnly.put(id, nanos);
        } else {
            add(nanos - committedAt);
        }
    }

    private void add(long nanos) {
        latencies.add(nanos);
        recent.add(nanos);
    }

    synchronized boolean isComplete() {
        return committedOnly.isEmpty();
    }

    /** The figures now; the recent latencies are those since the last call. */
    synchronized Tally tally() {
        Tally tally = new Tally(
                recorded,
                rolledBack,
                received.size(),
                committedOnly.size(),
                receivedOnly.size(),
                duplicates,
                outOfOrder,
                recent.percentile(50),
                recent.percentile(99),
                latencies.percentile(50),
                latencies.percentile(99),
                latencies.max());
        recent = new Latencies();
        return tally;
    }

    /**
     * Figures of one moment; latencies in milliseconds.
     *
     * @param backlog recorded and not yet received
     * @param neverCommitted received although no commit is known: at the end, events of rolled-back transactions
     */
    record Tally(
            long recorded,
            long rolledBack,
            long received,
            long backlog,
            long neverCommitted,
            long duplicates,
            long outOfOrder,
            double recentP50,
            double recentP99,
            double p50,
            double p99,
            double max) {}
}
