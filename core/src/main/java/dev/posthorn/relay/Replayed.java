package dev.posthorn.relay;

import dev.posthorn.event.Event;
import dev.posthorn.event.RecordedEvent;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What makes an event one that is sent again.
 *
 * @param replayId the replay that it belongs to
 * @param deadLetterId the dead letter that it is; null if it was delivered before and is taken from the log
 */
record Replayed(long replayId, @Nullable Long deadLetterId) {

    /** What a replayed event carries, with the replay's id. */
    private static final String HEADER = "posthorn-replay";

    /** The event as it is sent again. One that an older version began to send again belongs to no replay. */
    RecordedEvent mark(RecordedEvent recorded) {
        if (replayId == 0) {
            return recorded;
        }
        Event event = recorded.event();
        Map<String, String> headers = new HashMap<>(event.headers());
        headers.put(HEADER, Long.toString(replayId));
        return new RecordedEvent(recorded.seq(), event.withHeaders(headers), recorded.createdAt());
    }
}
