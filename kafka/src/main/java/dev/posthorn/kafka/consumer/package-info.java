/** Consumes events from Kafka, each with one effect. */
@NullMarked
package dev.posthorn.kafka.consumer;

import org.jspecify.annotations.NullMarked;
