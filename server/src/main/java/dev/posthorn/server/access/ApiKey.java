package dev.posthorn.server.access;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An API key as it is shown: without the key.
 *
 * @param payload whether it sees payloads unmasked
 * @param sources what it may publish: patterns of which one has to match; left out: any
 * @param types the same
 * @param createdBy the name of the key that created it, or {@code settings}
 * @param createdAt null for the one in the settings
 * @param revokedAt since when it is worth nothing
 */
record ApiKey(
        String name,
        Role role,
        boolean payload,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> sources,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> types,
        String createdBy,
        @Nullable Instant createdAt,
        @Nullable Instant revokedAt) {

    Caller caller() {
        return new Caller(name, role, payload, new Scope(sources, types));
    }

    boolean isRevoked() {
        return revokedAt != null;
    }
}
