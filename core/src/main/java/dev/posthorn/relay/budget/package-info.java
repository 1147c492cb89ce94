/**
 * How much a lane may have in its hands, and how fast: room, rate, retries, polling. Read
 * {@link dev.posthorn.relay.budget.LaneOrders} first. Public for the other rooms of the relay and for the simulation; not for users.
 */
@NullMarked
package dev.posthorn.relay.budget;

import org.jspecify.annotations.NullMarked;
