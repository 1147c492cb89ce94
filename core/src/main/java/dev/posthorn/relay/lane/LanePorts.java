package dev.posthorn.relay.lane;

import dev.posthorn.log.EventLog;
import dev.posthorn.relay.budget.Deliveries;
import dev.posthorn.relay.front.Ride;
import dev.posthorn.relay.store.LaneStore;
import dev.posthorn.relay.store.Ticker;
import dev.posthorn.subscription.RelayListener;
import java.util.random.RandomGenerator;

/** All that a lane sees of the world, but for its sink. */
public record LanePorts(
        EventLog log,
        LaneStore store,
        Ride ride,
        Deliveries deliveries,
        RelayListener listener,
        Ticker ticker,
        RandomGenerator random,
        String instance) {}
