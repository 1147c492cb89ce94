/**
 * What Posthorn needs of an application (data sources with its tables, Kafka, a JSON mapper), and what is told if that does
 * not fit. Read {@link dev.posthorn.spring.setup.PosthornAutoConfiguration} first. {@code DataSources}, {@code
 * OutboxDataSource}, {@code WatchedDataSource}, {@code KafkaConnection}, {@code Json} and {@code SetupException} are public
 * for the rooms above.
 */
@NullMarked
package dev.posthorn.spring.setup;

import org.jspecify.annotations.NullMarked;
