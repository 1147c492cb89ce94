package dev.posthorn.server.subscriptions.definition;

import dev.posthorn.server.documents.RequiredFields;
import dev.posthorn.server.subscriptions.sinks.SinkDocument;
import java.time.Duration;
import java.util.Locale;
import java.util.stream.Stream;
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
 * @param inFlightBytes the same in bytes of their payloads; left out: 67108864
 * @param ratePerSecond how many events are sent a second at most, by all instances together; left out: any number
 * @param lanes into how many shares its keys are divided; left out: 4
 * @param ordering whether events of a key are delivered in order; left out: key
 * @param afterDeadLetter what becomes of a key after a dead letter; left out: continue
 * @param whenUnavailable whether a receiver that cannot be reached uses up attempts; left out: count for http, wait for
 *     kafka
 * @param breakerAfter how many keys in a row that fail at their first attempt mean that the receiver refuses everything;
 *     left out: 10
 * @param blockedKeysLimit how many keys behind a failed event a lane keeps in memory; left out: 10000
 * @param keepAttempts of which attempts a record is kept; left out: failed
 * @param batchSize how many events one read takes at most; left out: 1000
 * @param pollInterval how soon and how late a lane looks for events again
 * @param start where it begins when it is created: now, beginning or a time; left out: now
 */
public record SubscriptionDocument(
        @Nullable String description,
        @Nullable FilterDocument filter,
        @Nullable SinkDocument sink,
        @Nullable RetryDocument retry,
        @Nullable Duration timeout,
        @Nullable Integer inFlightLimit,
        @Nullable Long inFlightBytes,
        @Nullable Double ratePerSecond,
        @Nullable Integer lanes,
        @Nullable Ordering ordering,
        @Nullable AfterDeadLetter afterDeadLetter,
        @Nullable WhenUnavailable whenUnavailable,
        @Nullable Integer breakerAfter,
        @Nullable Integer blockedKeysLimit,
        @Nullable KeepAttempts keepAttempts,
        @Nullable Integer batchSize,
        @Nullable PollDocument pollInterval,
        @Nullable Start start)
        implements RequiredFields {

    @Override
    public Stream<String> missing() {
        return sink == null ? Stream.of("sink") : sink.missing();
    }

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

    /** Of which attempts a record is kept. */
    public enum KeepAttempts {
        FAILED,
        ALL;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The same, beginning there. */
    public SubscriptionDocument startingAt(@Nullable Start other) {
        return new SubscriptionDocument(
                description,
                filter,
                sink,
                retry,
                timeout,
                inFlightLimit,
                inFlightBytes,
                ratePerSecond,
                lanes,
                ordering,
                afterDeadLetter,
                whenUnavailable,
                breakerAfter,
                blockedKeysLimit,
                keepAttempts,
                batchSize,
                pollInterval,
                other);
    }

    /** Of one that has no document: what the relay's own tables tell. */
    public static SubscriptionDocument known(@Nullable FilterDocument filter, int lanes) {
        return new SubscriptionDocument(
                null, filter, null, null, null, null, null, null, lanes, null, null, null, null, null, null, null, null,
                null);
    }
}
