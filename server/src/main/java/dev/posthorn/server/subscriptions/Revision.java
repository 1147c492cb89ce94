package dev.posthorn.server.subscriptions;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a subscription was from some time on.
 *
 * @param id its place among all revisions
 * @param document null: from then on it was deleted
 */
record Revision(long id, long number, @Nullable String document, String changedBy, Instant changedAt) {}
