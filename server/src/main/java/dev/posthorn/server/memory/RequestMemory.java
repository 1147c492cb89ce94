package dev.posthorn.server.memory;

import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.settings.HubSettings;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * The bytes of requests that are in memory, over REST and gRPC together. Every request keeps its own limit, but many at a
 * time would fill the heap; so beyond an eighth of it they are turned away. What is made of a request takes a few times
 * its length. Large requests leave some of the room to small ones, and what needs no key has a small share: else whoever
 * fills it would keep everybody out.
 */
@Component
public final class RequestMemory {

    private static final int SHARE = 8;
    private static final int SHARE_OF_SMALL = 8;
    private static final int SHARE_OF_ANYBODY = 16;

    /** Most events are smaller. */
    private static final long SMALL = 64 << 10;

    /** Health and reflection are asked with a few dozen bytes. */
    private static final long SMALL_OF_ANYBODY = 1 << 10;

    private static final Duration SOON = Duration.ofSeconds(1);

    private final long most;
    private final long small;
    private final @Nullable RequestMemory whole;
    private final @Nullable RequestMemory anybodys;
    private final AtomicLong held = new AtomicLong();

    /** At least two of the greatest requests, and what is left to small ones, however small the heap is. */
    @Autowired
    RequestMemory(HubSettings settings) {
        this(Math.max(
                3 * settings.limits().body().toBytes(), Runtime.getRuntime().maxMemory() / SHARE));
    }

    public RequestMemory(long most) {
        this(most, SMALL, null);
    }

    private RequestMemory(long most, long small, @Nullable RequestMemory whole) {
        this.most = most;
        this.small = small;
        this.whole = whole;
        this.anybodys = whole == null ? new RequestMemory(most / SHARE_OF_ANYBODY, SMALL_OF_ANYBODY, this) : null;
    }

    /** The share of calls that need no key. What is taken of it is taken here too. */
    public RequestMemory ofAnybody() {
        return anybodys == null ? this : anybodys;
    }

    /**
     * Whether there is room for so many bytes more, which then are in hand until they are given back.
     *
     * @param before what the same request has in hand already
     */
    public boolean take(long bytes, long before) {
        boolean isSmall = before + bytes <= small;
        if (held.addAndGet(bytes) > (isSmall ? most : most - most / SHARE_OF_SMALL)
                || (whole != null && !whole.take(bytes, before))) {
            held.addAndGet(-bytes);
            return false;
        }
        return true;
    }

    /** These bytes, which were taken, are needed no more. */
    public void giveBack(long bytes) {
        held.addAndGet(-bytes);
        if (whole != null) {
            whole.giveBack(bytes);
        }
    }

    /** Whether half of the room is taken, so that whoever can do with less should. */
    public boolean isTight() {
        return held.get() > most / 2;
    }

    /** What those are told for whom there is no room. */
    public Problem noRoom() {
        return Problem.unavailable(
                "the hub has requests of " + most + " bytes in hand, and no room for more; try again, with less at a"
                        + " time",
                SOON);
    }
}
