/**
 * How fast dead letters are replayed, and whether live events notice. Read {@link dev.posthorn.benchmarks.replay.Replay}
 * first; nobody but {@code Bench} comes in.
 */
@NullMarked
package dev.posthorn.benchmarks.replay;

import org.jspecify.annotations.NullMarked;
