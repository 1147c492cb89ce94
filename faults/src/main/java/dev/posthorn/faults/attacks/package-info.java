/** Attacks a hub from outside while others go on using it, and measures what they notice. Read {@link Attacks} first. */
@NullMarked
package dev.posthorn.faults.attacks;

import org.jspecify.annotations.NullMarked;
