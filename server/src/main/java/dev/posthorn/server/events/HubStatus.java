package dev.posthorn.server.events;

import dev.posthorn.server.subscriptions.ServedBy;
import dev.posthorn.status.LaneState;
import dev.posthorn.status.SubscriptionGauges;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How everything is doing.
 *
 * @param version of the hub that answers
 * @param instances those that deliver; left out, like all that follows, while the database is away
 * @param next what to ask for the next subscriptions with; left out at the end
 */
record HubStatus(
        String version,
        DatabaseState database,
        @Nullable List<String> instances,
        @Nullable LogState log,
        @Nullable List<SubscriptionState> subscriptions,
        @Nullable String next) {

    /**
     * The hub's database.
     *
     * @param ready whether it answers
     */
    record DatabaseState(boolean ready) {}

    /**
     * The log of all events.
     *
     * @param newestSeq the newest event's place in it, 0 if there is none
     */
    record LogState(long newestSeq, @Nullable Instant newestRecordedAt) {}

    /**
     * How a subscription is doing.
     *
     * @param servedBy application: its own relay serves it. Left out: the hub does
     * @param oldestAge of the oldest event that is neither settled nor deferred; left out if there is none
     * @param held events that wait behind an earlier one of their key
     * @param waiting events to be sent again, or deferred
     * @param deadLetters the open ones
     * @param breaker the receiver is not reached or does not answer; left out while no lane's breaker is open
     * @param denial the receiver answers and refuses everything; left out while no lane finds that
     * @param instances those that serve it; none: nobody delivers
     */
    record SubscriptionState(
            String name,
            @Nullable ServedBy servedBy,
            boolean paused,
            Pending pending,
            @Nullable Duration oldestAge,
            long held,
            long waiting,
            long blockedKeys,
            long deadLetters,
            @Nullable Duration oldestDeadLetterAge,
            @Nullable ReceiverTrouble breaker,
            @Nullable ReceiverTrouble denial,
            List<String> instances,
            List<Lane> lanes) {

        static SubscriptionState of(
                SubscriptionGauges gauges, @Nullable ServedBy servedBy, List<String> instances, List<LaneState> lanes) {
            return new SubscriptionState(
                    gauges.subscription(),
                    servedBy,
                    gauges.paused(),
                    new Pending(gauges.pending().value(), gauges.pending().exact()),
                    gauges.oldestAge(),
                    gauges.held(),
                    gauges.waiting(),
                    gauges.blockedKeys(),
                    gauges.deadLetters(),
                    gauges.oldestDeadLetterAge(),
                    ReceiverTrouble.of(gauges.breaker()),
                    ReceiverTrouble.of(gauges.denial()),
                    instances,
                    lanes.stream().map(Lane::of).toList());
        }
    }

    /**
     * How many events are not yet delivered.
     *
     * @param exact whether they were counted; else it is an estimate
     */
    record Pending(long count, boolean exact) {}

    /**
     * A receiver that takes no events.
     *
     * @param lanes how many lanes find that
     */
    record ReceiverTrouble(Instant since, String reason, int lanes) {

        static @Nullable ReceiverTrouble of(SubscriptionGauges.@Nullable Trouble trouble) {
            return trouble == null ? null : new ReceiverTrouble(trouble.since(), trouble.reason(), trouble.lanes());
        }
    }

    /**
     * A lane and who looks after it.
     *
     * @param owner the instance that owns it; left out if nobody does
     * @param movedAt when its mark last moved
     * @param breakerSince left out while its breaker is closed
     * @param denialSince left out unless its receiver answers and refuses everything
     */
    record Lane(
            int index,
            @Nullable String owner,
            @Nullable Instant leaseExpiresAt,
            @Nullable Instant movedAt,
            @Nullable Instant breakerSince,
            @Nullable String breakerReason,
            @Nullable Instant denialSince,
            @Nullable String denialReason) {

        static Lane of(LaneState lane) {
            return new Lane(
                    lane.index(),
                    lane.owner(),
                    lane.leaseExpiresAt(),
                    lane.movedAt(),
                    lane.breakerSince(),
                    lane.breakerReason(),
                    lane.denialSince(),
                    lane.denialReason());
        }
    }
}
