/**
 * Relay processes with three subscriptions and the receiver that keeps account of what they deliver, for the runs that kill
 * them or their database. Read {@link RelayProcess} first, then {@link Receiver}.
 */
@NullMarked
package dev.posthorn.faults.delivery;

import org.jspecify.annotations.NullMarked;
