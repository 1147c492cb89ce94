package dev.posthorn.server.events;

import dev.posthorn.status.StuckEvent;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An event that was handed to the receiver long ago and is still not settled.
 *
 * @param lane the index of its lane
 * @param owner who owns the lane; left out if nobody does
 * @param leaseExpiresAt when its owner's session ends; left out or past: nobody serves the lane now
 * @param movedAt when the lane's mark last moved
 */
record StuckItem(
        String subscription,
        UUID eventId,
        String type,
        @Nullable String key,
        Instant recordedAt,
        int lane,
        @Nullable String owner,
        @Nullable Instant leaseExpiresAt,
        Instant movedAt) {

    static StuckItem of(StuckEvent event) {
        return new StuckItem(
                event.subscription(),
                event.eventId(),
                event.type(),
                event.key(),
                event.createdAt(),
                event.lane(),
                event.owner(),
                event.leaseExpiresAt(),
                event.movedAt());
    }
}
