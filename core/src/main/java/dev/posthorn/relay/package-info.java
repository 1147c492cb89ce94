/** Lanes, leases and the relay that runs them. */
@NullMarked
package dev.posthorn.relay;

import org.jspecify.annotations.NullMarked;
