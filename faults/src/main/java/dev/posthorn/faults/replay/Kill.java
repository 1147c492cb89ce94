package dev.posthorn.faults.replay;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * A process that was killed.
 *
 * @param at in nanoseconds
 * @param lanes that it owned
 */
record Kill(long at, String instance, List<Integer> lanes) {

    /** For each of its lanes, how long it took until another process sent something of the replay. */
    static List<Duration> untilGoneOn(List<Kill> kills, List<Came> came, long replay) {
        return kills.stream()
                .flatMap(kill -> kill.lanes().stream().flatMap(lane -> kill.untilGoneOn(lane, kills, came, replay)))
                .toList();
    }

    /** None if all of the lane was sent by then, or if the next kill came first: then that one counts. */
    private Stream<Duration> untilGoneOn(int lane, List<Kill> kills, List<Came> came, long replay) {
        long next = kills.stream()
                .mapToLong(Kill::at)
                .filter(other -> other > at)
                .min()
                .orElse(Long.MAX_VALUE);
        return came.stream()
                .filter(each -> each.at() > at && each.replay() == replay && each.lane() == lane)
                .filter(each -> !each.instance().equals(instance))
                .limit(1)
                .filter(each -> each.at() < next || next - at > ReplayKills.GOES_ON_WITHIN.toNanos())
                .map(each -> Duration.ofNanos(each.at() - at));
    }
}
