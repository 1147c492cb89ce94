package dev.posthorn.server.overview;

import dev.posthorn.server.overview.OverviewAnswer.OverviewTotals;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Event {@code overview} of the stream: the figures of GET /v1/overview were read anew.
 *
 * @param alerts how many are open
 */
public record OverviewTick(
        Instant readAt,
        double recordedPerSecond,
        double deliveredPerSecond,
        double failedPerSecond,
        long pending,
        boolean pendingExact,
        @Nullable Duration oldestAge,
        long deadLetters,
        long deadLettersLastHour,
        int inTrouble,
        int alerts) {

    static OverviewTick of(Instant readAt, OverviewTotals now, int alerts) {
        return new OverviewTick(
                readAt,
                now.recordedPerSecond(),
                now.deliveredPerSecond(),
                now.failedPerSecond(),
                now.pending().count(),
                now.pending().exact(),
                now.oldestAge(),
                now.deadLetters(),
                now.deadLettersLastHour(),
                now.inTrouble(),
                alerts);
    }
}
