/**
 * What benchmarks run on: a PostgreSQL, a Kafka, programs in processes of their own, sample events, and relays that drain
 * them. Read {@link dev.posthorn.benchmarks.testbed.Database} first. Any benchmark comes in.
 */
@NullMarked
package dev.posthorn.benchmarks.testbed;

import org.jspecify.annotations.NullMarked;
