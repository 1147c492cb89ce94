package dev.posthorn.relay.lane;

import dev.posthorn.event.RecordedEvent;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a lane has done since this instance took it over. Written by the lane, read by anyone. */
public final class LaneCounters {

    private static final Logger log = LoggerFactory.getLogger(Lane.class);

    private final AtomicLong delivered = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong overtaken = new AtomicLong();
    private final AtomicBoolean databaseAway = new AtomicBoolean();

    void delivered(RecordedEvent event) {
        delivered.incrementAndGet();
        bytes.addAndGet(event.event().payload().length);
    }

    void countOvertaken() {
        overtaken.incrementAndGet();
    }

    void databaseTrouble(String lane, Exception e) {
        if (databaseAway.compareAndSet(false, true)) {
            log.warn(
                    "Lane {}: {}. It keeps its place and tries again until the database answers", lane, e.getMessage());
        }
    }

    void databaseIsBack(String lane) {
        if (databaseAway.compareAndSet(true, false)) {
            log.info("Lane {}: the database answers again", lane);
        }
    }

    /** Events delivered. */
    public long delivered() {
        return delivered.get();
    }

    /** Bytes of payload delivered. */
    public long bytes() {
        return bytes.get();
    }

    /** Events that were delivered before an earlier one of their key, which had failed. */
    public long overtaken() {
        return overtaken.get();
    }
}
