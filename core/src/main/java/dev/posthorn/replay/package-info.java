/** Sends dead letters, and events that were delivered, again: a frozen set, paced, and accounted for to the last one. */
@NullMarked
package dev.posthorn.replay;

import org.jspecify.annotations.NullMarked;
