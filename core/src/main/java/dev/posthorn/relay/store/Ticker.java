package dev.posthorn.relay.store;

/** The process's monotonic clock: how long its own trust and patience last. */
@FunctionalInterface
public interface Ticker {

    Ticker SYSTEM = System::nanoTime;

    long nanos();
}
