package dev.posthorn.faults.delivery;

import dev.posthorn.faults.harness.ReceivedRequest;
import java.io.IOException;
import java.util.Locale;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** What a receiver does with an event. */
public enum Treatment {
    TAKEN(938, true, "204 No Content"),
    BUSY(10, false, "503 Service Unavailable"),
    BUSY_FOR_NO_TIME(8, false, "503 Service Unavailable\r\nRetry-After: 0"),
    BUSY_FOR_A_SECOND(8, false, "503 Service Unavailable\r\nRetry-After: 1"),
    THROTTLED(8, false, "429 Too Many Requests"),
    /** The connection is closed instead of an answer. */
    CLOSED(8, false, null),
    CLOSED_AFTER_TAKING(8, true, null),
    /** There is no answer for as long as the relay waits. */
    SILENT(6, false, null),
    SILENT_AFTER_TAKING(6, true, null);

    private final int perMille;
    private final boolean takes;

    /** HTTP's status and headers; null if there is no answer. */
    private final @Nullable String response;

    Treatment(int perMille, boolean takes, @Nullable String response) {
        this.perMille = perMille;
        this.takes = takes;
        this.response = response;
    }

    static Treatment any(RandomGenerator random) {
        int drawn = random.nextInt(1_000);
        for (Treatment treatment : values()) {
            drawn -= treatment.perMille;
            if (drawn < 0) {
                return treatment;
            }
        }
        throw new IllegalStateException("the parts of the treatments are less than all");
    }

    /** Whether the receiver has the event after it. */
    boolean takes() {
        return takes;
    }

    /** Whether the relay cannot know that the receiver has the event, and has to send it again. */
    boolean provokesRepetition() {
        return takes && response == null;
    }

    void answer(ReceivedRequest request) throws IOException {
        if (response != null) {
            request.answer(response + (takes ? "" : "\r\nContent-Length: 0"), "");
        } else if (this == CLOSED || this == CLOSED_AFTER_TAKING) {
            request.breakOff();
        }
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
