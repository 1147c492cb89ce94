/** Kills relays while dead letters are sent again. */
@NullMarked
package dev.posthorn.faults.replay;

import org.jspecify.annotations.NullMarked;
