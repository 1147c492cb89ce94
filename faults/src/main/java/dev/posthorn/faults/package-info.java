/** Breaks things on purpose and checks that no promise was broken. */
@NullMarked
package dev.posthorn.faults;

import org.jspecify.annotations.NullMarked;
