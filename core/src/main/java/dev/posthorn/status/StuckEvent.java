package dev.posthorn.status;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An event that was handed to the sink long ago and is still not settled.
 *
 * @param lane the index of its lane
 * @param owner who owns the lane; null if nobody does
 * @param leaseExpiresAt when its owner's session ends; null or past: nobody serves the lane now
 * @param movedAt when the lane's mark last moved
 */
public record StuckEvent(
        String subscription,
        int lane,
        @Nullable String owner,
        @Nullable Instant leaseExpiresAt,
        Instant movedAt,
        UUID eventId,
        long seq,
        String type,
        @Nullable String key,
        Instant createdAt) {}
