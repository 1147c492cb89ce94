/** Kills relays while dead letters are sent again. Read {@link ReplayKills} first. */
@NullMarked
package dev.posthorn.faults.replay;

import org.jspecify.annotations.NullMarked;
