package dev.posthorn.kafka.consumer;

import dev.posthorn.inbox.Counted;
import dev.posthorn.inbox.Inheritance;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** What the members before had counted of a partition, and how much of what they had in hand is still to come. */
final class InheritedAttempts {

    private final boolean orphaned;
    private final Map<Long, Counted> counted = new ConcurrentHashMap<>();
    private final AtomicInteger left;

    InheritedAttempts(Inheritance inheritance, int mostInHand) {
        this.orphaned = inheritance.orphaned();
        this.left = new AtomicInteger(orphaned ? mostInHand : 0);
        inheritance.counted().forEach(each -> counted.put(each.offset(), each));
    }

    boolean isOrphaned() {
        return orphaned;
    }

    /** By its place and its id: a topic may have been made anew. */
    @Nullable
    Counted of(long offset, UUID eventId) {
        Counted found = counted.get(offset);
        return found != null && found.eventId().equals(eventId) ? found : null;
    }

    void done(long offset) {
        counted.remove(offset);
    }

    /** One less that could have been in hand. */
    void passed() {
        left.decrementAndGet();
    }

    /** Whether what is fetched now could have been in hand. */
    boolean isOpen() {
        return left.get() > 0;
    }

    boolean hasSuspects() {
        return orphaned && !counted.isEmpty();
    }
}
