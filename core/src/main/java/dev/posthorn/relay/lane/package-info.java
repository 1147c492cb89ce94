/**
 * The actor that moves a share of the keys from the log to the sink: read {@link dev.posthorn.relay.lane.Lane#step()} first,
 * then {@link dev.posthorn.relay.lane.LaneRun}. Public for the relay and the simulation; of users only those who step lanes in
 * tests come in. A process may have tens of thousands of lanes of which most are idle, so their queues begin small.
 */
@NullMarked
package dev.posthorn.relay.lane;

import org.jspecify.annotations.NullMarked;
