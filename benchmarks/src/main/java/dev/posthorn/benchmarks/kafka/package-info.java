/**
 * Events to Kafka and from it: draining a backlog, latency, and what the inbox costs. Read
 * {@link dev.posthorn.benchmarks.kafka.Drain} first; nobody but {@code Bench} comes in.
 */
@NullMarked
package dev.posthorn.benchmarks.kafka;

import org.jspecify.annotations.NullMarked;
