/** Looks at what could not be delivered, and asks lanes to do something about it. */
@NullMarked
package dev.posthorn.deadletter;

import org.jspecify.annotations.NullMarked;
