package dev.posthorn.server.guard;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A guard as it is, with ******** in place of each secret.
 *
 * @param inDoubt how many forwards wait for a decision
 * @param trouble why nothing can be forwarded; left out if it can
 */
public record GuardAnswer(
        String name,
        long revision,
        Instant createdAt,
        Instant changedAt,
        long inDoubt,
        @Nullable String trouble,
        @JsonUnwrapped @Nullable TargetDocument document) {}
