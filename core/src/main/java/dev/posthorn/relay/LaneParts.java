package dev.posthorn.relay;

import java.util.function.Supplier;

/** The parts of one lane that know each other. */
record LaneParts(
        Supplier<Orders> orders,
        Places places,
        Tokens tokens,
        Dispatch dispatch,
        Troubles troubles,
        Breaker breaker,
        Care care,
        Progress progress,
        Desk desk) {}
