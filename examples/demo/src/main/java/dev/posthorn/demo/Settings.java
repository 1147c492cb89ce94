package dev.posthorn.demo;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What was asked for. Refuses what cannot work with a message that names the option.
 *
 * @param duration how long to record; null means until Ctrl-C
 * @param data where the servers keep their files; null means a directory that is deleted at the end
 */
record Settings(
        int rate,
        @Nullable Duration duration,
        int instances,
        int keys,
        int lanes,
        @Nullable Path data) {

    Settings {
        within("--rate", rate, 100_000);
        within("--instances", instances, 16);
        within("--keys", keys, 1_000_000);
        within("--lanes", lanes, 256);
        if (duration != null && (duration.isZero() || duration.isNegative())) {
            throw new IllegalArgumentException("--for must be longer than nothing");
        }
        if (data != null && Files.exists(data) && !Files.isDirectory(data)) {
            throw new IllegalArgumentException("--data is " + data + ", which is not a directory");
        }
    }

    private static void within(String option, int value, int most) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException(option + " is " + value + "; it must be 1 to " + most);
        }
    }

    /**
     * Whether every instance has work for certain. With fewer lanes than instances somebody has none; with few keys a
     * lane may have no key.
     */
    boolean everyInstanceHasWork() {
        return lanes >= instances && keys >= 10L * lanes;
    }
}
