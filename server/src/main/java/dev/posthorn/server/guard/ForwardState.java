package dev.posthorn.server.guard;

/** What became of an event that came to a guard. */
public enum ForwardState {
    /** The request is on its way. */
    FORWARDING,
    /** The target took it, or an operator found that it did. */
    FORWARDED,
    /** The target answered that it does not take it. */
    REFUSED,
    /** The request may have arrived or not. Only a person can find out. */
    IN_DOUBT,
    /** The target certainly has not acted: the event is forwarded when it comes again. */
    FREE,
    /** An operator decided that it is never forwarded. */
    ABANDONED
}
