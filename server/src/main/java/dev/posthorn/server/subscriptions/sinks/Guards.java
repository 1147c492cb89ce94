package dev.posthorn.server.subscriptions.sinks;

import dev.posthorn.sink.Sink;

/** The guards, for subscriptions that feed them. */
public interface Guards {

    boolean isThere(String guard);

    /** A sink that hands events to the guard of that name, whatever it is at the time. */
    Sink sink(String guard);
}
