package dev.posthorn.faults.replay;

/**
 * A request with an event.
 *
 * @param at in nanoseconds
 * @param replay which replay sent it; {@link #LIVE} if none
 * @param lane the lane of its key
 * @param instance the process that sent it
 */
record Came(long at, long replay, int lane, String instance) {

    static final long LIVE = 0;
}
