/**
 * Places between two steps of a relay at which somebody may end it. Read {@link KillPoints} first.
 */
@NullMarked
package dev.posthorn.faults.killpoint;

import org.jspecify.annotations.NullMarked;
