package dev.posthorn.kafka.consumer;

import java.util.OptionalLong;
import java.util.TreeSet;
import org.apache.kafka.common.TopicPartition;

/**
 * A partition for as long as this member has it. Records are done in any order; committed is only what has nothing undone
 * before it. If the partition comes back later, that is another object: what ends late for this one counts no more.
 */
final class Assigned {

    private final TopicPartition id;
    private final TreeSet<Long> open = new TreeSet<>();
    private long next = -1;
    private long committed = -1;
    private boolean given;

    Assigned(TopicPartition id) {
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
