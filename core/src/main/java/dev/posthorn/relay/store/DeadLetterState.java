package dev.posthorn.relay.store;

import org.jspecify.annotations.Nullable;

/** A dead letter, as far as a lane has to know it. */
public record DeadLetterState(long seq, @Nullable String key, boolean holdsKey, boolean discarded, boolean replaying) {}
