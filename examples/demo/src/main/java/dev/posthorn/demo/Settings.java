package dev.posthorn.demo;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What was asked for. Refuses what cannot work with a message that names the option.
 *
 * @param rate requests per second
 * @param duration how long to place orders; null means until Ctrl-C
 * @param kills whether processes are killed
 * @param seed of everything that is left to chance
 */
record Settings(int rate, @Nullable Duration duration, boolean kills, long seed) {

    private static final int GREATEST_RATE = 1000;

    Settings {
        if (rate < 1 || rate > GREATEST_RATE) {
            throw new IllegalArgumentException("--rate is " + rate + "; it must be 1 to " + GREATEST_RATE);
        }
        if (duration != null && duration.isZero()) {
            throw new IllegalArgumentException("--for must be longer than nothing");
        }
    }
}
