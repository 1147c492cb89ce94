/** Measures Posthorn on this machine, always beside a reference that a skilled person would write by hand. */
@NullMarked
package dev.posthorn.benchmarks;

import org.jspecify.annotations.NullMarked;
