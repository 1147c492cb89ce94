package dev.posthorn.relay.store;

import org.jspecify.annotations.Nullable;

/**
 * An item of a replay, as a lane's owner finds it.
 *
 * @param row how to send it; null if that is not possible any more
 * @param skipped why not
 * @param hasRow whether the event has a delivery row already, by which it is sent
 */
public record OwnedReplayItem(
        long seq, @Nullable DeliveryRow row, @Nullable String skipped, boolean hasRow) {

    /** Its event, or the dead letter, is not there any more. */
    public static final String GONE = "gone";

    public static final String DISCARDED = "discarded";

    public static OwnedReplayItem skipped(long seq, String reason) {
        return new OwnedReplayItem(seq, null, reason, false);
    }
}
