/**
 * Reads the log beside writers that make it difficult. Read {@link Torture} first.
 */
@NullMarked
package dev.posthorn.faults.torture;

import org.jspecify.annotations.NullMarked;
