package dev.posthorn.relay.store;

import dev.posthorn.event.Marks;
import dev.posthorn.event.RecordedEvent;
import org.jspecify.annotations.Nullable;

/**
 * What makes an event one that is sent again.
 *
 * @param replayId the replay that it belongs to
 * @param deadLetterId the dead letter that it is; null if it was delivered before and is taken from the log
 */
public record Replayed(long replayId, @Nullable Long deadLetterId) {

    /** The event as it is sent again. One that an older version began to send again belongs to no replay. */
    public RecordedEvent mark(RecordedEvent recorded) {
        return replayId == 0 ? recorded : recorded.marked(Marks.REPLAY, Long.toString(replayId));
    }
}
