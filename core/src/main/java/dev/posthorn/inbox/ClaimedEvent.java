package dev.posthorn.inbox;

import dev.posthorn.event.Event;

/**
 * What the claim of an event came to.
 *
 * @param event as it is known from now on: under its own id, or, where another source had used that one, {@linkplain
 *     Event#underItsSource under its source}
 * @param claim never {@link Claim#OTHERS}
 */
public record ClaimedEvent(Event event, Claim claim) {}
