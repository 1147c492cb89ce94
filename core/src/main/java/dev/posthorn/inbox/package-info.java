/** The consumer's side: an event that comes again is known by its inbox entry. */
@NullMarked
package dev.posthorn.inbox;

import org.jspecify.annotations.NullMarked;
