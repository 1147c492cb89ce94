package dev.posthorn.relay.front;

import dev.posthorn.error.PosthornException;
import dev.posthorn.log.Batch;
import dev.posthorn.log.Cursor;
import dev.posthorn.log.LaneScope;
import dev.posthorn.log.Snapshot;
import dev.posthorn.relay.store.FrontStore;
import dev.posthorn.relay.store.Ticker;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the tail of the log once for all lanes of a connection that are well, and carries their marks.
 *
 * <p>A lane gets on when it has read exactly as far as the front has, or to the end of the window that the front is in, and off as soon as anything is the matter
 * with it: an event that failed, a pause, no room. On its own it does everything as if there were no front. So what an
 * idle subscription costs is nothing, and what the front has to be right about is one thing: it never moves over an event
 * that a lane that it carries has not settled, counted from the moment at which it is handed out.
 *
 * <p>It ends with its connection, as everything that was read there (see {@code Lane}): whoever goes on takes the lanes off it
 * where it stood, and nobody ever asks whether its last move was done.
 */
public final class Front implements Ride {

    private static final Logger log = LoggerFactory.getLogger(Front.class);

    private static final long RETRY = 50_000_000;

    private final FrontPorts ports;
    private final FrontStore store;
    private final Ticker ticker;
    private @Nullable Journey journey;
    private long reads;
    private final Journey.Reads counted = this::countRead;

    /** Fronts whose rows do not say yet that they have ended. */
    private final Set<UUID> ended = new LinkedHashSet<>();

    private long endNext;

    public Front(FrontPorts ports) {
        this.ports = ports;
        this.store = ports.store();
        this.ticker = ports.ticker();
        this.endNext = ticker.nanos();
    }

    /** Writes and reads whatever is due. If the database does not let it, it ends, and every lane begins anew. */
    public void step() {
        try {
            writeAndRead();
        } catch (PosthornException e) {
            log.debug("A front has ended: {}", e.getMessage());
        }
    }

    private void writeAndRead() {
        Journey now = current();
        if (!ended.isEmpty() && ticker.nanos() - endNext >= 0) {
            endNext = ticker.nanos() + RETRY;
            store.end(ended);
            ended.clear();
        }
        if (now == null) {
            return;
        }
        boolean goesOn = false;
        try {
            if (now.write()) {
                now.read(counted);
                goesOn = true;
            }
        } finally {
            // Whatever went wrong: events that were read and handed to some only would never come to the others.
            if (!goesOn || !store.isCurrent()) {
                end(now);
            }
        }
    }

    /** In how many nanoseconds there is something to do. */
    public long nextNanos() {
        if (!ended.isEmpty()) {
            return Math.max(0, endNext - ticker.nanos());
        }
        return journey == null ? Long.MAX_VALUE : journey.nextNanos();
    }

    /** Something was committed. */
    public void wake() {
        if (journey != null) {
            journey.wake();
        }
    }

    /** What there is on this connection. */
    private @Nullable Journey current() {
        Journey now = journey;
        if (now != null && !store.isCurrent()) {
            end(now);
        }
        return journey;
    }

    /** Its row has to say so too: whoever takes a lane that it carried waits for that. */
    private void end(Journey over) {
        journey = null;
        ended.add(over.id());
        over.end();
    }

    private @Nullable Journey of(Rider rider) {
        Journey now = current();
        return now != null && now.isOf(rider) ? now : null;
    }

    @Override
    public long reads() {
        return reads;
    }

    @Override
    public long countRead() {
        return ++reads;
    }

    @Override
    public @Nullable Tail reachable(Rider rider, Snapshot from, long read) {
        Journey now = of(rider);
        return now == null ? null : now.reachable(from, read);
    }

    @Override
    public boolean isNear(Rider rider) {
        Journey now = of(rider);
        return now != null && now.isNear();
    }

    @Override
    public @Nullable Batch shared(Cursor cursor, LaneScope reader) {
        Journey now = current();
        return now == null ? null : now.shared(cursor, reader);
    }

    @Override
    public boolean keepsMore(Cursor from) {
        Journey now = current();
        return now != null && now.keepsMore(from);
    }

    @Override
    public boolean board(Rider rider, Snapshot tail, long read) {
        Journey now = of(rider);
        if (now == null) {
            if (journey != null) {
                end(journey);
            }
            now = new Journey(rider, tail, read, ports);
            journey = now;
        }
        now.goTo(tail, read);
        return now.board(rider, tail, read);
    }

    @Override
    public Position getOff(Rider rider) {
        return Objects.requireNonNull(journey).getOff(rider);
    }

    @Override
    public void leaveBehind(Rider rider) {
        Journey now = current();
        if (now != null) {
            now.leaveBehind(rider);
        }
    }

    @Override
    public void hurry() {
        if (journey != null) {
            journey.hurry();
        }
    }
}
