package dev.posthorn.server.guard;

import dev.posthorn.http.HttpSink;
import dev.posthorn.sink.Channel;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The system behind a guard, and the way there. Every forward has a channel of its own, which lives until it is answered,
 * so that a guard can be changed without cutting off what is on its way; one more keeps the sink's thread between them.
 */
final class Target implements AutoCloseable {

    private final String guard;
    private final HttpSink sink;
    private final Duration timeout;
    private final Set<Integer> repeatOn;
    private @Nullable Channel resting;
    private boolean closed;

    Target(String guard, HttpSink sink, Duration timeout, Set<Integer> repeatOn) {
        this.guard = guard;
        this.sink = sink;
        this.timeout = timeout;
        this.repeatOn = repeatOn;
    }

    Duration timeout() {
        return timeout;
    }

    /** Whether the target says by this status that it did nothing. */
    boolean didNothing(int status) {
        return repeatOn.contains(status);
    }

    /** For one forward, which has so long. */
    synchronized Channel open(Duration atMost) {
        if (resting == null && !closed) {
            resting = sink.open("guard/" + guard, timeout);
        }
        return sink.open("guard/" + guard, atMost);
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (resting != null) {
            resting.close();
            resting = null;
        }
    }
}
