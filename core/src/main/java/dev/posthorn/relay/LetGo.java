package dev.posthorn.relay;

/** The answer to a request that a subscription let go of old events, so that the log can be cut. */
public sealed interface LetGo {

    /** Events below this seq that the subscription has not settled become its dead letters. */
    record Below(long seq) implements LetGo {}

    /** There is nothing to let go of; {@code why} says so to people. */
    record NothingHeld(String why) implements LetGo {}
}
