/**
 * What the relay itself costs: beside keys that fail or are stuck, and in several processes. Read
 * {@link dev.posthorn.benchmarks.relay.Retry} first; nobody but {@code Bench} comes in.
 */
@NullMarked
package dev.posthorn.benchmarks.relay;

import org.jspecify.annotations.NullMarked;
