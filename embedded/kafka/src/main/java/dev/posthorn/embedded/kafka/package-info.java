/** A Kafka broker for tests, benchmarks and the demo, in the same JVM or in one of its own. */
@NullMarked
package dev.posthorn.embedded.kafka;

import org.jspecify.annotations.NullMarked;
