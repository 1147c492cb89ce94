package dev.posthorn.server.overview;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How everything is doing, at a glance.
 *
 * @param version of the hub that answers
 * @param databaseReady whether its database answers; while it does not, only that is told
 * @param readAt when the figures were read; they are read every five seconds, and less often if that takes long
 * @param lastHour what was recorded, delivered and failed, every ten seconds of the last hour
 * @param hubs the processes that deliver: hubs, and applications with a relay of their own in the same database
 * @param alerts those that are open, the most severe first, and a hundred at most
 * @param moreAlerts how many are open besides
 */
record OverviewAnswer(
        String version,
        boolean databaseReady,
        @Nullable Instant readAt,
        @Nullable OverviewTotals now,
        @Nullable Series lastHour,
        @Nullable List<HubLine> hubs,
        @Nullable List<Alert> alerts,
        @Nullable Integer moreAlerts) {

    /**
     * All subscriptions together.
     *
     * @param recordedPerSecond over the last minute, like the two that follow
     * @param deliveredPerSecond deliveries by hubs; what an application's own relay delivers is not counted
     * @param failedPerSecond attempts that failed
     * @param pending events not yet delivered; one counts once for each subscription
     * @param oldestAge of the oldest event that is neither settled nor deferred; left out if there is none
     * @param oldestSubscription for which that one waits
     * @param held events that wait behind an earlier one of their key
     * @param waiting events to be sent again, or deferred
     * @param deadLetters the open ones
     * @param deadLettersLastHour how many events became dead letters in the last hour, whatever became of them since
     * @param inTrouble how many subscriptions are in trouble, other than paused
     */
    record OverviewTotals(
            double recordedPerSecond,
            double deliveredPerSecond,
            double failedPerSecond,
            Backlog pending,
            @Nullable Duration oldestAge,
            @Nullable String oldestSubscription,
            long held,
            long waiting,
            long deadLetters,
            long deadLettersLastHour,
            int subscriptions,
            int inTrouble,
            int paused) {}

    /**
     * A process that delivers.
     *
     * @param lastSeenAt when it last renewed its session
     * @param alive whether its session has not ended
     * @param lanes how many lanes it owns
     * @param subscriptions how many subscriptions it serves
     * @param me whether it is the one that answers
     */
    record HubLine(
            String instance,
            Instant startedAt,
            Instant lastSeenAt,
            boolean alive,
            long lanes,
            long subscriptions,
            boolean me) {}
}
