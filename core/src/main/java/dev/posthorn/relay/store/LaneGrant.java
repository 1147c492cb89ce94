package dev.posthorn.relay.store;

import dev.posthorn.log.LaneScope;

/** A lane just taken over. How far it has come, its owner reads by itself: see {@link StoredLane}. */
public record LaneGrant(String name, long subscriptionId, Lease lease, LaneScope scope) {}
