/**
 * What a failure means: to the event ({@link dev.posthorn.relay.lane.trouble.FailureRule}, to be read first), to the events
 * behind it ({@link dev.posthorn.relay.lane.trouble.BlockedKeys}) and to what is known of the receiver
 * ({@link dev.posthorn.relay.lane.trouble.ReceiverState}). Knows values only, no event in anybody's hands. Public for the
 * lane, nobody else comes in.
 */
@NullMarked
package dev.posthorn.relay.lane.trouble;

import org.jspecify.annotations.NullMarked;
