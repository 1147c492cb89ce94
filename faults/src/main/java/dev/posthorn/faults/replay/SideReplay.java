package dev.posthorn.faults.replay;

import dev.posthorn.audit.Actor;
import dev.posthorn.deadletter.DeadLetterQuery;
import dev.posthorn.replay.Replay;
import dev.posthorn.replay.ReplayRequest;
import dev.posthorn.replay.Replays;
import java.time.Duration;
import java.util.List;

/** A second replay beside the one that is watched. Somebody changes its rate, pauses, resumes and cancels it. */
final class SideReplay {

    static final String TYPE = "side";

    /** After a pause or cancel something may still come for so long. */
    private static final Duration STILL_COMES = Duration.ofSeconds(1);

    /** How far the main replay is when the next act is due. */
    private static final List<Double> ACTS = List.of(0.15, 0.40, 0.60, 0.72, 0.86);

    private final Replays replays;
    private final double rate;
    private final Actor actor = Actor.named("faults");
    private final long[] at = new long[ACTS.size()];
    private long id;
    private int acts;

    SideReplay(Replays replays, double rate) {
        this.replays = replays;
        this.rate = rate;
    }

    static Replay start(Replays replays, String type, double rate, Actor actor) {
        return replays.start(
                ReplayRequest.ofQuery(DeadLetterQuery.builder()
                                .subscription(ReplayingRelay.SUBSCRIPTION)
                                .type(type)
                                .build())
                        .ratePerSecond(rate)
                        .reason("the receiver is back")
                        .build(),
                actor);
    }

    /** Whether something is to be done. */
    boolean isDue(double progress) {
        return acts < ACTS.size() && progress >= ACTS.get(acts);
    }

    void act() {
        switch (acts) {
            case 0 -> id = start(replays, TYPE, rate, actor).id();
            case 1 -> replays.changeRate(id, 2 * rate, actor);
            case 2 -> replays.pause(id, "too much at a time", actor);
            case 3 -> replays.resume(id, actor);
            default -> replays.cancel(id, "enough", actor);
        }
        at[acts++] = System.nanoTime();
    }

    boolean isCancelled() {
        return acts == ACTS.size();
    }

    Replay replay() {
        return replays.get(id);
    }

    long id() {
        return id;
    }

    private Watch.Stretch from(int act) {
        return new Watch.Stretch(at[act] + STILL_COMES.toNanos(), at[act + 1]);
    }

    /** Over kills and all. */
    double rateBefore(List<Came> came) {
        return Rates.rate(from(0), came, id);
    }

    double rateAfter(List<Came> came) {
        return Rates.rate(from(1), came, id);
    }

    /** How many came while it was paused. */
    long cameWhilePaused(List<Came> came) {
        return count(came, at[2] + STILL_COMES.toNanos(), at[3]);
    }

    long cameAfterResume(List<Came> came) {
        return count(came, at[3], at[4]);
    }

    long cameAfterCancel(List<Came> came) {
        return count(came, at[4] + STILL_COMES.toNanos(), Long.MAX_VALUE);
    }

    private long count(List<Came> came, long from, long to) {
        return came.stream()
                .filter(each -> each.replay() == id && each.at() > from && each.at() < to)
                .count();
    }
}
