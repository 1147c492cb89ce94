package dev.posthorn.inbox;

/** What a claim of an inbox entry came to. */
public enum Claim {
    /** Nobody had it: the caller's transaction has entered it, and the event is the caller's to act on. */
    FRESH,
    /** It was there before: with the same digest, or one of the two has none. The event is not to act again. */
    DUPLICATE,
    /** It was there before with another digest: the same event id on something else. */
    CONFLICT,
    /** It was there before and is another source's: an event of its own, to be known by another id. */
    OTHERS
}
