package dev.posthorn.relay.budget;

import java.time.Duration;

/** When to look at the log again: at once while there is more, then ever more slowly while nothing comes. */
public final class Pace {

    private static final int[] STEPS = {1, 2, 5, 10, 20, 50};

    private final long least;
    private final long most;
    private int step;
    private long due;

    public Pace(Duration least, Duration most, long now) {
        this.least = least.toNanos();
        this.most = most.toNanos();
        this.due = now;
    }

    /** The same, between other bounds. */
    public Pace between(Duration leastNow, Duration mostNow) {
        if (leastNow.toNanos() == least && mostNow.toNanos() == most) {
            return this;
        }
        Pace other = new Pace(leastNow, mostNow, due);
        other.step = step;
        return other;
    }

    public boolean isDue(long now) {
        return due - now <= 0;
    }

    public long due() {
        return due;
    }

    public void moreAtOnce(long now) {
        step = 0;
        due = now;
    }

    public void foundAll(long now) {
        step = 0;
        due = now + least;
    }

    public void foundNothing(long now) {
        due = now + Math.min(most, least * STEPS[step]);
        step = Math.min(step + 1, STEPS.length - 1);
    }

    public void failed(long now) {
        step = STEPS.length - 1;
        due = now + Math.max(most, Duration.ofMillis(200).toNanos());
    }
}
