package dev.posthorn.status;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A lane, and who looks after it.
 *
 * @param owner the instance whose session has not ended; null if the lane is free
 * @param leaseExpiresAt when that session ends; null if none owns the lane
 * @param movedAt when its mark last moved
 * @param breakerSince null while its breaker is closed
 * @param denialSince null unless its receiver answers and refuses everything
 */
public record LaneState(
        String subscription,
        int index,
        @Nullable String owner,
        @Nullable Instant leaseExpiresAt,
        @Nullable Instant movedAt,
        @Nullable Instant breakerSince,
        @Nullable String breakerReason,
        @Nullable Instant denialSince,
        @Nullable String denialReason) {}
