package dev.posthorn.status;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What has become of an event for one subscription, the worst first. DISCARDED ranks below DELIVERED, as the best: a
 * person has dealt with it, so it asks for nothing more; an event is DISCARDED as a whole only if every subscription's
 * copy was.
 */
public enum Status {
    /** Attempts exhausted or rejected: a dead letter exists. */
    FAILED,
    /** Waits behind an earlier event of its key. */
    HELD,
    /** Recorded, not yet delivered; it may be about to be retried, or deferred. */
    PENDING,
    /** Handed to the sink, not yet settled. */
    SENDING,
    /** The sink acknowledged it. */
    DELIVERED,
    /** An operator discarded the dead letter. */
    DISCARDED;

    /** What other systems call them. */
    private static final Map<String, Status> SYNONYMS =
            Map.of("NEW", PENDING, "PROCESSED", DELIVERED, "PURGED", DISCARDED);

    /** A status by its name or by one of its synonyms (NEW, PROCESSED, PURGED), in whatever case. */
    public static Status parse(String name) {
        String upper = name.strip().toUpperCase(Locale.ROOT);
        Status synonym = SYNONYMS.get(upper);
        if (synonym != null) {
            return synonym;
        }
        for (Status status : values()) {
            if (status.name().equals(upper)) {
                return status;
            }
        }
        throw new PosthornException(
                ErrorCode.INVALID_REQUEST,
                "status '" + name + "' is unknown; it is one of PENDING (or NEW), SENDING, HELD, DELIVERED (or"
                        + " PROCESSED), FAILED, DISCARDED (or PURGED)");
    }

    /** The worst of them, which is an event's status as a whole; empty if no subscription wants the event. */
    public static Optional<Status> worst(Collection<Status> statuses) {
        return statuses.stream().min(Status::compareTo);
    }
}
