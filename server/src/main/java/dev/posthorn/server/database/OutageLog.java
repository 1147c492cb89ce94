package dev.posthorn.server.database;

import java.sql.SQLException;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes to the log when the database goes, at growing intervals that it is still away, and when it is back. Those who ask it
 * fail many times a second, and a line for each would hide everything else. Thread-safe.
 */
final class OutageLog {

    private static final Logger log = LoggerFactory.getLogger(OutageLog.class);

    private static final Duration FIRST_REMINDER = Duration.ofSeconds(10);
    private static final Duration LONGEST_SILENCE = Duration.ofMinutes(10);

    private final LongSupplier nanos;
    private @Nullable String told;
    private long since;
    private long toldAt;
    private long silence;

    OutageLog(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Whoever asked it was not answered. */
    synchronized void away(RuntimeException failure) {
        String reason = reason(failure);
        long now = nanos.getAsLong();
        if (told == null) {
            since = now;
            silence = FIRST_REMINDER.toNanos();
            log.warn(
                    "The database does not answer: {}. Calls that need it get 503 and nothing is delivered; the hub goes on"
                            + " by itself when it is back",
                    reason);
        } else if (now - toldAt >= (reason.equals(told) ? silence : FIRST_REMINDER.toNanos())) {
            silence = Math.min(2 * silence, LONGEST_SILENCE.toNanos());
            log.warn("The database has not answered for {} s: {}", seconds(now), reason);
        } else {
            return;
        }
        told = reason;
        toldAt = now;
    }

    /** It was asked, and answered. */
    synchronized void answers() {
        if (told != null) {
            told = null;
            log.info("The database answers again, after {} s", seconds(nanos.getAsLong()));
        }
    }

    private long seconds(long now) {
        return Duration.ofNanos(now - since).toSeconds();
    }

    /** What the driver says, if it was the driver: what a pool says beside it differs from one time to the next. */
    private static String reason(RuntimeException failure) {
        String reason = String.valueOf(failure.getMessage());
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof SQLException sql) {
                reason = String.valueOf(sql.getMessage());
            }
        }
        return reason.endsWith(".") ? reason.substring(0, reason.length() - 1) : reason;
    }
}
