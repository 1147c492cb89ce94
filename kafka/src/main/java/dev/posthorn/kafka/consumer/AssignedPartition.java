package dev.posthorn.kafka.consumer;

import dev.posthorn.inbox.Counted;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A partition for as long as this member has it. Records are done in any order; committed is only what has nothing undone
 * before it. If the partition comes back later, that is another object: what ends late for this one counts no more.
 */
final class AssignedPartition {

    private final TopicPartition id;
    private final TreeSet<Long> open = new TreeSet<>();
    private final Object beginning = new Object();
    private volatile @Nullable InheritedAttempts inherited;
    private long end = -1;
    private long next = -1;
    private long committed = -1;
    private boolean given;

    AssignedPartition(TopicPartition id) {
        this.id = id;
    }

    TopicPartition id() {
        return id;
    }

    synchronized void take(long offset) {
        open.add(offset);
        next = offset + 1;
    }

    synchronized void done(long offset) {
        open.remove(offset);
        InheritedAttempts known = inherited;
        if (known != null) {
            known.done(offset);
        }
    }

    /** Held while it is found out what the members before have left; nobody waits for it who has Kafka waiting. */
    Object beginning() {
        return beginning;
    }

    void inherit(InheritedAttempts found) {
        inherited = found;
    }

    boolean isBegun() {
        return inherited != null;
    }

    /** Whether the member before gave it up in no order. */
    boolean isOrphaned() {
        InheritedAttempts known = inherited;
        return known != null && known.isOrphaned();
    }

    @Nullable
    Counted counted(long offset, UUID eventId) {
        InheritedAttempts known = inherited;
        return known == null ? null : known.of(offset, eventId);
    }

    void passed() {
        InheritedAttempts known = inherited;
        if (known != null) {
            known.passed();
        }
    }

    /** The partition's end when this member got it: no member before can have had anything beyond. */
    synchronized void endsAt(long offset) {
        if (end < 0) {
            end = offset;
        }
    }

    /** Whether a member before may have had the record in hand; until it is known what it left: yes. */
    synchronized boolean isWatched(long offset) {
        InheritedAttempts known = inherited;
        return offset < end && (known == null || known.isOpen());
    }

    /** Whether something is still to come that a member which died may have had in hand. */
    synchronized boolean isWatching() {
        InheritedAttempts known = inherited;
        long undone = undone().orElse(-1);
        return known != null && (known.hasSuspects() || (known.isOpen() && undone < end));
    }

    /** It is another member's from now on. */
    synchronized void give() {
        given = true;
    }

    synchronized boolean isGiven() {
        return given;
    }

    /** The first offset that is not done; empty if nothing was taken yet. */
    synchronized OptionalLong undone() {
        if (next < 0) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(open.isEmpty() ? next : open.first());
    }

    /** Where the group would have to go on, if that is further than was committed. */
    synchronized OptionalLong toCommit() {
        OptionalLong undone = undone();
        return undone.isPresent() && undone.getAsLong() > committed ? undone : OptionalLong.empty();
    }

    synchronized void committed(long offset) {
        committed = Math.max(committed, offset);
    }

    @Override
    public String toString() {
        return id.toString();
    }
}
