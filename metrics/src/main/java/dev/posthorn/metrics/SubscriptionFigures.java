package dev.posthorn.metrics;

import dev.posthorn.status.Latency;
import dev.posthorn.status.SubscriptionGauges;
import org.jspecify.annotations.Nullable;

/**
 * What was read of a subscription.
 *
 * @param lanes all of them
 * @param owned those with an owner whose lease has not ended
 * @param latency as it was last read; null if nothing was settled
 * @param stuck how many events have been sending for over half an hour, as it was last read
 */
public record SubscriptionFigures(
        SubscriptionGauges gauges,
        int lanes,
        int owned,
        @Nullable Latency latency,
        long stuck) {}
