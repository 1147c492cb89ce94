/**
 * What recording events costs, and whether reading them stays as cheap whatever lies in the log. Read
 * {@link dev.posthorn.benchmarks.log.Write} first. The columns of {@code PlainTable} are public for the benchmark of the hub.
 */
@NullMarked
package dev.posthorn.benchmarks.log;

import org.jspecify.annotations.NullMarked;
