/** Delivers events to Kafka. {@link dev.posthorn.kafka.KafkaSink} is all there is to use. */
@NullMarked
package dev.posthorn.kafka;

import org.jspecify.annotations.NullMarked;
