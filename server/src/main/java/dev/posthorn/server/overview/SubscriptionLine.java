package dev.posthorn.server.overview;

import dev.posthorn.server.subscriptions.ServedBy;
import dev.posthorn.status.SubscriptionGauges;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A subscription in the list of those who look after many.
 *
 * @param servedBy application: its own relay serves it. Left out: the hub does
 * @param sink what kind of receiver it has, such as http or kafka; left out if an application serves it
 * @param trouble the worst of what is the matter; left out if nothing is
 * @param oldestAge of the oldest event that is neither settled nor deferred; left out if there is none
 * @param held events that wait behind an earlier one of their key
 * @param waiting events to be sent again, or deferred
 * @param deadLetters the open ones
 * @param breaker the receiver is not reached or does not answer; left out while no lane's breaker is open
 * @param denial the receiver answers and refuses everything; left out while no lane finds that
 * @param ownedLanes how many of its lanes somebody looks after
 * @param deliveredPerSecond over the last five minutes, like the one that follows
 * @param errorRate the part of the attempts that failed, 0 to 1, over the last ten minutes; left out if there were none
 * @param deliveredPerMinute of the last hour, the oldest minute first
 * @param failedPerMinute the same of the attempts that failed
 */
record SubscriptionLine(
        String name,
        @Nullable ServedBy servedBy,
        @Nullable String sink,
        boolean paused,
        @Nullable Ailment trouble,
        Backlog pending,
        @Nullable Duration oldestAge,
        long held,
        long waiting,
        long blockedKeys,
        long deadLetters,
        @Nullable Duration oldestDeadLetterAge,
        @Nullable LineTrouble breaker,
        @Nullable LineTrouble denial,
        int lanes,
        int ownedLanes,
        double deliveredPerSecond,
        double failedPerSecond,
        @Nullable Double errorRate,
        List<Long> deliveredPerMinute,
        List<Long> failedPerMinute) {

    /**
     * A receiver that takes no events.
     *
     * @param lanes how many lanes find that
     * @param probedEvery how often a lane tries whether it is back, at the longest; left out of a denial
     */
    record LineTrouble(
            Instant since,
            String reason,
            int lanes,
            @Nullable Duration probedEvery) {

        /** As a lane does it. */
        private static final Duration LONGEST = Duration.ofSeconds(4);

        static @Nullable LineTrouble breaker(SubscriptionGauges.@Nullable Trouble trouble) {
            return of(trouble, LONGEST);
        }

        static @Nullable LineTrouble denial(SubscriptionGauges.@Nullable Trouble trouble) {
            return of(trouble, null);
        }

        private static @Nullable LineTrouble of(
                SubscriptionGauges.@Nullable Trouble trouble, @Nullable Duration probedEvery) {
            return trouble == null
                    ? null
                    : new LineTrouble(trouble.since(), trouble.reason(), trouble.lanes(), probedEvery);
        }
    }
}
