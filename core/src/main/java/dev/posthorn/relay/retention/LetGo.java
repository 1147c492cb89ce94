package dev.posthorn.relay.retention;

/** The answer to a request that a subscription let go of old events, so that the log can be cut. */
public sealed interface LetGo {

    /**
     * Events below this seq that the subscription has not settled become its dead letters.
     *
     * @param events how many those are, but for such as are delivered meanwhile
     * @param exact whether they were counted to the end; if not there are more
     */
    record Below(long seq, long events, boolean exact) implements LetGo {}

    /** There is nothing to let go of; {@code why} says so to people. */
    record NothingHeld(String why) implements LetGo {}
}
