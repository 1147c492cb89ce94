/** What could not be delivered: looking at it, and giving it up. */
@NullMarked
package dev.posthorn.server.deadletters;

import org.jspecify.annotations.NullMarked;
