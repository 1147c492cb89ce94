package dev.posthorn.kafka.consumer;

import dev.posthorn.event.Event;
import dev.posthorn.inbox.Counted;
import dev.posthorn.inbox.FailedAttempt;
import dev.posthorn.inbox.RejectedEventException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** A record that this member has fetched and not done. */
final class FetchedRecord {

    private final ConsumerRecord<byte[], byte[]> record;
    private final AssignedPartition partition;
    private final Event event;
    private final @Nullable RejectedEventException unreadable;
    private final List<FailedAttempt> failures = new ArrayList<>(0);
    private final boolean watched;
    private boolean passed;
    private boolean died;
    private boolean condemned;

    /** @param unreadable why no handler can be given the event; null if it is fine */
    FetchedRecord(
            ConsumerRecord<byte[], byte[]> record,
            AssignedPartition partition,
            Event event,
            @Nullable RejectedEventException unreadable) {
        this.record = record;
        this.partition = partition;
        this.event = event;
        this.unreadable = unreadable;
        this.watched = partition.isWatched(record.offset());
    }

    ConsumerRecord<byte[], byte[]> record() {
        return record;
    }

    AssignedPartition partition() {
        return partition;
    }

    /** For people: where the record is. */
    String place() {
        return partition + "@" + record.offset();
    }

    Event event() {
        return event;
    }

    /** What it weighs: its payload and an allowance for everything else. */
    long bytes() {
        return event.payload().length + 256L;
    }

    boolean isReadable() {
        return unreadable == null;
    }

    RejectedEventException whyUnreadable() {
        return Objects.requireNonNull(unreadable, "it is readable");
    }

    void failed(FailedAttempt attempt) {
        failures.add(attempt);
    }

    /** Whether a member that died may have had it in hand. */
    boolean isWatched() {
        return watched;
    }

    /** Nobody had taken it before: it is one of those that a member which died may have had in hand. */
    void wasInHand() {
        if (watched && !passed) {
            passed = true;
            partition.passed();
        }
    }

    /** What members before this one have counted, if they have. */
    @Nullable
    Counted earlier() {
        return partition.counted(record.offset(), event.id());
    }

    /** How many were made, here and by members before. */
    int attempts() {
        Counted earlier = earlier();
        int before = earlier == null ? 0 : earlier.attempts();
        return before + failures.size() - (died ? 1 : 0);
    }

    /** Its last attempt is one of which nothing was heard. It has no more. */
    void died() {
        died = true;
        condemned = true;
        failures.add(FailedAttempt.since(
                System.nanoTime(),
                new IllegalStateException("given to the handler by a member that wrote down no answer, each time with"
                        + " nothing else in hand: the member seems to have ended over it")));
    }

    /** Its handler is not to be called any more. */
    void condemn() {
        condemned = true;
    }

    boolean isCondemned() {
        return condemned;
    }

    List<FailedAttempt> failures() {
        return failures;
    }

    /** What it is in order with: its key within its partition. One without a key is in order with nothing. */
    Object queueKey() {
        String key = event.key();
        return key == null ? this : new KeyOfPartition(partition, key);
    }

    private record KeyOfPartition(AssignedPartition partition, String key) {}
}
