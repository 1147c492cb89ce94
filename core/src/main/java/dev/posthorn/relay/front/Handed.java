package dev.posthorn.relay.front;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.Batch;
import dev.posthorn.log.Cursor;
import dev.posthorn.log.Mark;
import dev.posthorn.log.Window;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An event that the front has read for others. It holds the front back until everybody who wants it has settled it. */
public final class Handed {

    private final Trail trail;
    private final long number;
    private final long seq;
    private final boolean deferred;
    private final Window window;
    private final Mark before;
    private final Mark after;
    private final long read;
    private final long since;
    private int holders;

    /** Null once all have settled it: it stays on the trail for as long as another in front of it is held. */
    private @Nullable RecordedEvent event;

    /**
     * @param number how many the front had read that somebody wanted, this one included
     * @param read the number of the read by which the end of its window was taken
     */
    Handed(Trail trail, long number, Batch batch, RecordedEvent event, long read, long since) {
        this.trail = trail;
        this.number = number;
        this.event = event;
        this.seq = event.seq();
        this.deferred = batch.isDeferred(event);
        this.window = batch.window();
        this.before = Mark.inside(window, seq - 1);
        this.after = batch.markAfter(event);
        this.read = read;
        this.since = since;
    }

    public long number() {
        return number;
    }

    /** Only while somebody holds it. */
    public RecordedEvent event() {
        return Objects.requireNonNull(event);
    }

    /** Whether its time had not come when it was read. */
    public boolean isDeferred() {
        return deferred;
    }

    /** The mark of whoever has settled all that is in front of it. */
    public Mark before() {
        return before;
    }

    /** The mark of whoever has settled it too. */
    public Mark after() {
        return after;
    }

    /** Where whoever is not given it reads on by itself. */
    Ride.Position position() {
        return new Ride.Position(Cursor.Inside.of(window, seq - 1), read);
    }

    public long since() {
        return since;
    }

    void hold() {
        holders++;
        trail.held(this, holders == 1);
    }

    /** One that had it has settled it, or is not carried any more. */
    public void release() {
        holders--;
        trail.released(this, holders == 0);
        if (holders == 0) {
            event = null;
        }
    }

    boolean isHeld() {
        return holders > 0;
    }
}
