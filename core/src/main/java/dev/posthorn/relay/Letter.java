package dev.posthorn.relay;

import org.jspecify.annotations.Nullable;

/** A dead letter, as far as a lane has to know it. */
record Letter(long seq, @Nullable String key, boolean holdsKey, boolean discarded, boolean replaying) {}
