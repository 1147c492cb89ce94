/**
 * The registry of event types, and whether an event is of the type that it says. Read {@code EventTypes} first, which those
 * who take events come in for.
 */
@NullMarked
package dev.posthorn.server.types;

import org.jspecify.annotations.NullMarked;
