package dev.posthorn.deadletter;

import java.time.Instant;

/** What {@link Commands} gives for a command: with its id the answer can be asked for. */
public record CommandTicket(long id, Instant requestedAt) {}
