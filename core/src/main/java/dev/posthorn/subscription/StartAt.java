package dev.posthorn.subscription;

import java.time.Instant;

/** Where a new subscription begins. Of no effect for one that exists. */
public sealed interface StartAt {

    /** With what is committed after its creation. */
    record Now() implements StartAt {}

    /** With everything that is in the log. */
    record Beginning() implements StartAt {}

    /** With what was written at or after the time. */
    record At(Instant time) implements StartAt {}
}
