package dev.posthorn.audit;

import java.time.Instant;

/**
 * An act as the audit has it.
 *
 * @param id higher than that of every entry written before it
 * @param doneAt by the database's clock
 */
public record AuditEntry(long id, Instant doneAt, Actor actor, Act act) {}
