package dev.posthorn.audit;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some entries of the audit, the newest first.
 *
 * @param cursor what to ask with for the next page; null if this is the last one
 */
public record AuditPage(List<AuditEntry> entries, @Nullable String cursor) {

    public AuditPage {
        entries = List.copyOf(entries);
    }
}
