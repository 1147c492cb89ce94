/** The registry of event types, and whether an event is of the type that it says. */
@NullMarked
package dev.posthorn.server.types;

import org.jspecify.annotations.NullMarked;
