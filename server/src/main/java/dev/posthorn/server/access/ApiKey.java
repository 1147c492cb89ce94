package dev.posthorn.server.access;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An API key as it is shown: without the key.
 *
 * @param payload whether it sees payloads unmasked
 * @param createdBy the name of the key that created it, or {@code settings}
 * @param createdAt null for the one in the settings
 * @param revokedAt since when it is worth nothing
 */
record ApiKey(
        String name,
        Role role,
        boolean payload,
        String createdBy,
        @Nullable Instant createdAt,
        @Nullable Instant revokedAt) {

    boolean isRevoked() {
        return revokedAt != null;
    }
}
