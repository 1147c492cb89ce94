/**
 * Kills and freezes relay processes while events are in flight. Read {@link Relays} first.
 */
@NullMarked
package dev.posthorn.faults.kill;

import org.jspecify.annotations.NullMarked;
