/**
 * Metrics and health of an application's outbox and relay. Read {@link
 * dev.posthorn.spring.metrics.PosthornMetricsAutoConfiguration} first. Nobody comes in but Spring.
 */
@NullMarked
package dev.posthorn.spring.metrics;

import org.jspecify.annotations.NullMarked;
