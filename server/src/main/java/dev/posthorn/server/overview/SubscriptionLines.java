package dev.posthorn.server.overview;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of the list.
 *
 * @param readAt when the figures were read
 * @param total how many match
 * @param next what to ask for the next part with; left out at the end
 */
record SubscriptionLines(
        Instant readAt,
        int total,
        List<SubscriptionLine> items,
        @Nullable String next) {}
