/** Metrics and health of an application's outbox and relay. */
@NullMarked
package dev.posthorn.spring.metrics;

import org.jspecify.annotations.NullMarked;
