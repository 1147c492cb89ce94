/**
 * How anything is measured: sides in turns, medians and percentiles, options and the result that all share. Read
 * {@link dev.posthorn.benchmarks.harness.Comparison} first. Every benchmark comes in; this room knows none of them, nor
 * Posthorn.
 */
@NullMarked
package dev.posthorn.benchmarks.harness;

import org.jspecify.annotations.NullMarked;
