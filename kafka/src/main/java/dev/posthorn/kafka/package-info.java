/**
 * Delivers events to Kafka. {@link dev.posthorn.kafka.KafkaSink} is all there is to use, with {@link
 * dev.posthorn.kafka.RecordDecoder} for those who read records by themselves; {@code KafkaChannel} is the page to read
 * first. It does not know the consumer.
 */
@NullMarked
package dev.posthorn.kafka;

import org.jspecify.annotations.NullMarked;
