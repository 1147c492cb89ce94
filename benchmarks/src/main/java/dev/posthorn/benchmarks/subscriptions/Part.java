package dev.posthorn.benchmarks.subscriptions;

import java.util.Locale;

/** What is measured of a hub, in this order. */
enum Part {
    /** What it costs to have the subscriptions. */
    IDLE,
    /** Events that one of them wants. */
    ONE,
    /** Events that all of them want, and the reference of one subscription that gets as many deliveries. */
    ALL,
    /** A steady load of events that a few of them want. */
    MIX,
    /** The hub is ended and started again. */
    START;

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
