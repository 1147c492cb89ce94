package dev.posthorn.relay.store;

import dev.posthorn.sink.Outcome;

/** What happens to a dead letter. */
public sealed interface LetterChange {

    long seq();

    /** It becomes one, with a full copy of the event. */
    record Dead(long seq, int attempts, Outcome.Failure failure, boolean holdsKey) implements LetterChange {}

    /** It was sent again and failed again. */
    record Returned(long seq, int attempts, Outcome.Failure failure) implements LetterChange {}

    /** Its key goes on without it. */
    record Released(long seq) implements LetterChange {}

    record Discarded(long seq, String by, String reason) implements LetterChange {}

    /** Nothing is left of it but that it was discarded. */
    record Purged(long seq, String by, String reason) implements LetterChange {}

    /** It was sent again and arrived. */
    record Removed(long seq) implements LetterChange {}
}
