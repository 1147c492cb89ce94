package dev.posthorn.status;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Where the log ends.
 *
 * @param newestSeq the newest event's; 0 if the log is empty
 * @param newestAt when that was recorded; null if the log is empty
 */
public record LogEnd(long newestSeq, @Nullable Instant newestAt) {}
