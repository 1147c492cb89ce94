package dev.posthorn.relay.retention;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * For how long things are kept; null means for ever. Nothing that a subscription has not settled is ever deleted, however
 * old it is.
 *
 * @param log an event in the log, counted from when the log's partition that holds it was full
 * @param attempts what was tried for an event that did not go well
 * @param deadLetters a dead letter, counted from its last failure; one that holds its key is kept until it is dealt with
 * @param inboxEntries that a consumer has taken an event, unless that consumer says itself for how long; one that comes
 *     again later than this is taken for a new one
 * @param interval how often to look for what is due
 */
public record Retention(
        @Nullable Duration log,
        @Nullable Duration attempts,
        @Nullable Duration deadLetters,
        @Nullable Duration inboxEntries,
        Duration interval) {

    private static final Duration LEAST_INTERVAL = Duration.ofMillis(100);
    private static final Duration MOST_INTERVAL = Duration.ofDays(1);

    /** Far below what would overflow a time of PostgreSQL. */
    private static final Duration MOST = Duration.ofDays(36_500);

    private static final Retention DEFAULTS =
            new Retention(Duration.ofDays(7), Duration.ofDays(30), null, Duration.ofDays(30), Duration.ofMinutes(1));

    public Retention {
        requireAge("log", log);
        requireAge("attempts", attempts);
        requireAge("dead-letters", deadLetters);
        requireAge("inbox-entries", inboxEntries);
        if (interval.compareTo(LEAST_INTERVAL) < 0 || interval.compareTo(MOST_INTERVAL) > 0) {
            throw invalid("interval is " + interval + "; it must be 100 ms to one day");
        }
    }

    /** The log for 7 days, attempts and inbox entries for 30, dead letters for ever; a look every minute. */
    public static Retention defaults() {
        return DEFAULTS;
    }

    /** Everything for ever. */
    public static Retention off() {
        return new Retention(null, null, null, null, DEFAULTS.interval());
    }

    public boolean isOff() {
        return log == null && attempts == null && deadLetters == null && inboxEntries == null;
    }

    /** Of each kind the longer of the two periods; for ever is longest. */
    Retention orLonger(Retention other) {
        return new Retention(
                longer(log, other.log),
                longer(attempts, other.attempts),
                longer(deadLetters, other.deadLetters),
                longer(inboxEntries, other.inboxEntries),
                interval);
    }

    private static @Nullable Duration longer(@Nullable Duration one, @Nullable Duration other) {
        if (one == null || other == null) {
            return null;
        }
        return one.compareTo(other) < 0 ? other : one;
    }

    private static void requireAge(String field, @Nullable Duration age) {
        if (age == null) {
            return;
        }
        if (age.compareTo(Duration.ofMillis(1)) < 0) {
            throw invalid(field + " is " + age + "; it must be at least 1 ms, or left out to keep for ever");
        }
        if (age.compareTo(MOST) > 0) {
            throw invalid(field + " is " + age + "; it must be at most " + MOST.toDays()
                    + " days, or left out to keep for ever");
        }
    }

    private static PosthornException invalid(String message) {
        return new PosthornException(ErrorCode.INVALID_SETTING, "retention: " + message);
    }
}
