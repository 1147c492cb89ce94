/**
 * The relay as a user starts it: read {@link dev.posthorn.relay.Relay} first, then the rooms below in the order subscription,
 * store, lane, front. For everybody.
 */
@NullMarked
package dev.posthorn.relay;

import org.jspecify.annotations.NullMarked;
