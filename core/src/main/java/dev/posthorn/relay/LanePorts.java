package dev.posthorn.relay;

import dev.posthorn.log.EventLog;
import dev.posthorn.log.Guards;
import java.util.random.RandomGenerator;

/** All that a lane sees of the world, but for its sink. */
record LanePorts(
        EventLog log,
        LaneStore store,
        RelayListener listener,
        Ticker ticker,
        RandomGenerator random,
        String instance,
        Guards guards) {}
