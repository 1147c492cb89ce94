/** Posthorn at work: an order service, relays and a consumer, on a PostgreSQL and a Kafka of their own. */
@NullMarked
package dev.posthorn.demo;

import org.jspecify.annotations.NullMarked;
