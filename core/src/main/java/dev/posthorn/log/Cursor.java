package dev.posthorn.log;

import org.jspecify.annotations.Nullable;

/** How far a lane has read. */
public sealed interface Cursor {

    /** Everything visible in {@code a} was read; the end of the next window is whatever the next read sees. */
    record Tail(Snapshot a) implements Cursor {}

    /**
     * Inside a window whose end is frozen, because it holds more than one batch.
     *
     * @param seq everything of the window up to here was read
     * @param bounds where its main rows lie, once looked up
     */
    record Inside(Window window, long seq, @Nullable Bounds bounds) implements Cursor {

        public static Inside of(Window window, long seq) {
            return new Inside(window, seq, null);
        }
    }

    /** The least and greatest seq of the window's main rows; {@code lo > hi} if it has none. */
    record Bounds(long lo, long hi) {}
}
