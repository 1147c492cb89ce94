package dev.posthorn.relay;

import java.util.function.Supplier;

/** What a lane has in its hands whatever becomes of its connection to the database. */
record LaneHold(
        Supplier<Orders> orders,
        LaneCounters counters,
        Answers answers,
        InFlight sent,
        Places places,
        Tokens tokens,
        ReceiverState receiver,
        Setback setback) {}
