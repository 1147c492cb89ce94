package dev.posthorn.deadletter;

import java.time.Instant;
import java.util.List;

/**
 * Dead letters of one subscription with one cause.
 *
 * @param types some of the event types, at most five
 * @param sampleId the youngest letter of the group
 * @param sampleMessage its message, with everything that the cause leaves out
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
        String sampleMessage) {

    public DeadLetterGroup {
        types = List.copyOf(types);
    }
}
