package dev.posthorn.deadletter;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Dead letters of one subscription with one cause.
 *
 * @param types some of the event types, at most five
 * @param sampleId the youngest letter of the group
 * @param sampleMessage its message, with everything that the cause leaves out
 * @param note what an operator wrote about it
 */
public record DeadLetterGroup(
        String subscription,
        String errorClass,
        String cause,
        long count,
        Instant firstSeen,
        Instant lastSeen,
        List<String> types,
        long sampleId,
        String sampleMessage,
        @Nullable Note note) {

    /** What an operator wants others to know about it. */
    public record Note(String text, String by, Instant at) {}

    public DeadLetterGroup {
        types = List.copyOf(types);
    }
}
