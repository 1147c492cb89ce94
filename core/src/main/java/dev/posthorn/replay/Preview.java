package dev.posthorn.replay;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a replay would do if it were started now.
 *
 * @param count how many items it would send, exactly
 * @param skipped how many more it would have and not send, by reason
 * @param subscriptions how many of the items to be sent are for each
 * @param types how many of them are of each type
 * @param ages how long ago their events were recorded
 * @param needsReason whether there are so many that a reason must be given
 */
public record Preview(
        long count,
        Map<String, Long> skipped,
        Map<String, Long> subscriptions,
        Map<String, Long> types,
        Map<Age, Long> ages,
        boolean needsReason,
        List<Warning> warnings) {

    /** How long ago; each begins where the one before ends. */
    public enum Age {
        LAST_HOUR,
        LAST_DAY,
        LAST_WEEK,
        OLDER
    }

    /** What somebody may want to know before. */
    public enum Concern {
        /** Later events of the same keys were delivered already, so that the older ones arrive after the newer. */
        LATER_EVENTS_DELIVERED,
        /** A paused subscription is sent nothing: the replay waits until it is resumed. */
        SUBSCRIPTION_PAUSED,
        /** The receiver does not answer at the moment. */
        BREAKER_OPEN,
        /** The receiver answers and refuses everything at the moment. */
        DENIAL,
        /** The log is about to drop the oldest of the events. */
        RETENTION,
        /** The log begins after the beginning of the range. */
        LOG_BEGINS_LATER,
        /** Consumers may have forgotten that they have seen these events. */
        OLDER_THAN_DEDUP_PERIOD,
        /** Some of the ids are no open dead letters. */
        IDS_NOT_FOUND
    }

    /** A concern in words. */
    public record Warning(Concern concern, String text) {}

    public Preview {
        skipped = Collections.unmodifiableMap(new TreeMap<>(skipped));
        subscriptions = Collections.unmodifiableMap(new TreeMap<>(subscriptions));
        types = Collections.unmodifiableMap(new TreeMap<>(types));
        Map<Age, Long> sorted = new EnumMap<>(Age.class);
        sorted.putAll(ages);
        ages = Collections.unmodifiableMap(sorted);
        warnings = List.copyOf(warnings);
    }
}
