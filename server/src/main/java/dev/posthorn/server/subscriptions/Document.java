package dev.posthorn.server.subscriptions;

import dev.posthorn.server.subscriptions.sinks.SinkDocument;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A subscription as it is asked for.
 *
 * @param description for people
 * @param filter which events; left out: all
 * @param sink where to
 * @param retry when a failed event is sent again, and when no more
 * @param timeout how long a receiver may take to answer; left out: 10s
 * @param inFlightLimit how many events an instance has under way at most; left out: 10000
 * @param ratePerSecond how many events are sent a second at most, by all instances together; left out: any number
 * @param lanes into how many shares its keys are divided; left out: 4
 * @param ordering whether events of a key are delivered in order; left out: key
 * @param afterDeadLetter what becomes of a key after a dead letter; left out: continue
 * @param whenUnavailable whether a receiver that cannot be reached uses up attempts; left out: count for http, wait for
 *     kafka
 * @param breakerAfter how many keys in a row that fail at their first attempt mean that the receiver refuses everything;
 *     left out: 10
 * @param blockedKeysLimit how many keys behind a failed event a lane keeps in memory; left out: 10000
 * @param start where it begins when it is created: now, beginning or a time; left out: now
 */
public record Document(
        @Nullable String description,
        @Nullable FilterDocument filter,
        @Nullable SinkDocument sink,
        @Nullable RetryDocument retry,
        @Nullable Duration timeout,
        @Nullable Integer inFlightLimit,
        @Nullable Double ratePerSecond,
        @Nullable Integer lanes,
        @Nullable Ordering ordering,
        @Nullable AfterDeadLetter afterDeadLetter,
        @Nullable WhenUnavailable whenUnavailable,
        @Nullable Integer breakerAfter,
        @Nullable Integer blockedKeysLimit,
        @Nullable Start start) {

    /** Whether events of a key are delivered in order. */
    public enum Ordering {
        KEY,
        NONE;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What becomes of a key when one of its events is a dead letter. */
    public enum AfterDeadLetter {
        CONTINUE,
        HOLD;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Whether a receiver that cannot be reached uses up an event's attempts. */
    public enum WhenUnavailable {
        WAIT,
        COUNT;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The same, beginning there. */
    Document startingAt(@Nullable Start other) {
        return new Document(
                description,
                filter,
                sink,
                retry,
                timeout,
                inFlightLimit,
                ratePerSecond,
                lanes,
                ordering,
                afterDeadLetter,
                whenUnavailable,
                breakerAfter,
                blockedKeysLimit,
                other);
    }
}
