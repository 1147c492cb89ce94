package dev.posthorn.faults.attacks;

import dev.posthorn.faults.harness.Crew;
import dev.posthorn.faults.harness.Tally;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The time of one attack, and what comes of it.
 *
 * @param acknowledged what anybody was told is recorded
 * @param got what the attack was answered
 * @param endsAt on the clock of {@link System#nanoTime()}
 */
record Round(AttackedHub hub, Acknowledgements acknowledged, Tally got, long endsAt) {

    static Round of(AttackedHub hub, Duration time) {
        return new Round(hub, new Acknowledgements(), new Tally(), System.nanoTime() + time.toNanos());
    }

    boolean isOver() {
        return System.nanoTime() - endsAt >= 0;
    }

    /** So many work at the same time, each again and again until it is over. */
    void repeat(int count, String name, Crew.Work work) {
        Crew crew = new Crew();
        for (int i = 0; i < count; i++) {
            crew.start(name, () -> {
                while (!isOver()) {
                    work.run();
                }
            });
        }
        crew.join();
    }

    /** A moment, or less if it is over before. */
    void pause(Duration most) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(Math.min(most.toNanos(), endsAt - System.nanoTime()));
    }
}
