/** Ends a relay between any two of its steps, and looks at what the next one makes of it. Read {@link Sweep} first. */
@NullMarked
package dev.posthorn.faults.steps;

import org.jspecify.annotations.NullMarked;
