package dev.posthorn.server.audit;

import dev.posthorn.audit.AuditEntry;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An entry as it is answered.
 *
 * @param actor the name of the API key, {@code local} where none is needed, {@code hub} for the hub itself
 * @param action a noun and a verb
 * @param target its kind and its name or id
 * @param detail what was asked for
 * @param count how many things it was done to
 */
record AuditItem(
        long id,
        Instant doneAt,
        String actor,
        String action,
        String target,
        Map<String, String> detail,
        @Nullable Long count,
        @Nullable String reason,
        @Nullable String requestId) {

    static AuditItem of(AuditEntry entry) {
        return new AuditItem(
                entry.id(),
                entry.doneAt(),
                entry.actor().name(),
                entry.act().action(),
                entry.act().target(),
                entry.act().detail(),
                entry.act().count(),
                entry.act().reason(),
                entry.actor().requestId());
    }
}
