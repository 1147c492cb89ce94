package dev.posthorn.relay.lane;

import dev.posthorn.relay.budget.InFlightPlaces;
import dev.posthorn.relay.budget.LaneOrders;
import dev.posthorn.relay.budget.Setback;
import dev.posthorn.relay.budget.Tokens;
import dev.posthorn.relay.lane.trouble.ReceiverState;
import java.util.function.Supplier;

/** What a lane has in its hands whatever becomes of its connection to the database. */
record LaneHold(
        Runnable signal,
        Supplier<LaneOrders> orders,
        LaneCounters counters,
        InFlight.Answers answers,
        InFlight sent,
        InFlightPlaces places,
        Tokens tokens,
        ReceiverState receiver,
        Setback setback) {}
