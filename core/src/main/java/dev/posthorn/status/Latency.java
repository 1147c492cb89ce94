package dev.posthorn.status;

import java.time.Duration;

/**
 * How long events took from being recorded to being settled, on average.
 *
 * @param sample how many events it was worked out from
 */
public record Latency(Duration average, int sample) {}
