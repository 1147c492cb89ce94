package dev.posthorn.server.overview;

import dev.posthorn.server.rollup.Rollups;
import dev.posthorn.server.rollup.Work;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Figures over time, the oldest first; every list has one number for each step.
 *
 * @param from when the first step begins
 * @param recorded events that came into the log, give or take those whose transaction was rolled back; left out where one
 *     subscription is told of
 * @param delivered events that a hub delivered
 * @param failed attempts of a hub that failed
 * @param deadLettered events that became dead letters
 */
record Series(
        Instant from,
        int stepSeconds,
        @Nullable List<Long> recorded,
        List<Long> delivered,
        List<Long> failed,
        List<Long> deadLettered) {

    static Series of(Rollups.Course course) {
        List<Work> done = course.done();
        return new Series(
                course.from(),
                course.stepSeconds(),
                course.recorded().isEmpty() ? null : course.recorded(),
                done.stream().map(Work::delivered).toList(),
                done.stream().map(Work::failed).toList(),
                done.stream().map(Work::deadLettered).toList());
    }
}
