package dev.posthorn.relay.store;

import dev.posthorn.log.Snapshot;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Where a lane's progress is kept, its delivery rows and its dead letters, and where it is told what to do. */
public interface LaneStore {

    /**
     * Begins, or begins anew after the connection was lost: how the lane stands, as of a moment after it was taken over and
     * on the connection that it begins on. Null if it is no longer owned under its epoch.
     */
    @Nullable
    StoredLane begin();

    /** Whether nobody can own the lane any more: its generation has ended, or its subscription was deleted. */
    boolean hasEnded();

    /** Whether what was read since it began still counts: it does only as long as the connection it was read on. */
    boolean isCurrent();

    /**
     * Writes the settlement if the lane is still owned under its epoch and nothing was settled since; otherwise nothing.
     * If the answer is lost, {@link #begin} tells by the turn whether it was done. What cannot be written of one event
     * keeps nothing else from being written: that event is set aside.
     */
    Settled settle(Settlement settlement);

    /** The snapshot at which all lanes of the generation are to stop; null if there is none. */
    @Nullable
    Snapshot stopAt();

    /**
     * Pauses the subscription, unless it is paused already or the lane is owned under another epoch. True if that was
     * done.
     */
    boolean pause(String reason);

    /**
     * Takes up to so many of the subscription's tokens. They come at the rate, and gather up to the capacity; the first
     * time there is one.
     */
    Granted leaseTokens(double ratePerSecond, double capacity, int wanted);

    /** The keys whose later events have to wait: all that wait for nothing any more, and of the others up to so many. */
    Blocked blockedKeys(int limit);

    /** Those of these keys whose later events have to wait. */
    List<BlockedKey> blocked(Collection<String> keys);

    /** Which of these events have a delivery row or a dead letter. */
    Set<Long> known(List<Long> seqs);

    /** Whether there is anything to do. */
    Agenda agenda();

    /** The rows whose time has come, the longest due first. */
    List<DeliveryRow> due(int limit);

    /** The row that is sent again first, whether its time has come or not. */
    @Nullable
    DeliveryRow earliest();

    /** The row of the event that was read first of those that failed and are no replay's. */
    @Nullable
    DeliveryRow oldest();

    /** The first events held behind others of these keys, so many of each, in order. */
    List<DeliveryRow> held(List<String> keys, int perKey);

    @Nullable
    DeliveryRow row(long seq);

    /** Whether the lane has yet to come to the event: it wants it, and the persisted mark does not settle it. */
    boolean isUnsettled(long seq);

    /** What was asked and is not answered yet, in order, but what is to be deferred last: that may have to wait. */
    List<Command> commands(int limit);

    @Nullable
    DeadLetterState letter(long seq);

    /**
     * The replays to the subscription that run, the oldest first. One that has no item left has ended by then, and one
     * whose canary is through goes on or waits for somebody's go.
     */
    List<ReplayOrder> replays();

    /** Up to so many items of a replay that are the lane's to send, behind that seq and in order. */
    List<OwnedReplayItem> replayItems(ReplayOrder replay, long afterSeq, int limit);

    /** How many lanes in front of this one have items of the replay left. */
    int lanesBefore(ReplayOrder replay);

    /** Takes up to so many of a replay's tokens, as {@link #leaseTokens} does of the subscription's. */
    Granted leaseTokens(ReplayOrder replay, double capacity, int wanted);

    /**
     * What was leased.
     *
     * @param tokens how many, perhaps none
     * @param left how many there are now, parts of one included
     */
    record Granted(int tokens, double left) {}

    /**
     * Keys whose later events have to wait.
     *
     * @param others how many more there are
     */
    record Blocked(List<BlockedKey> keys, int others) {

        public static final Blocked NONE = new Blocked(List.of(), 0);
    }

    /**
     * A key whose later events have to wait.
     *
     * @param waiting how many of its events are to be sent again
     * @param holding how many of its dead letters hold it
     */
    record BlockedKey(String key, int waiting, int holding) {}

    /**
     * What is to be done.
     *
     * @param nextDue in how long the next row is due, zero or less if one is; null if there is none
     * @param commands whether there are any
     * @param replays whether one runs
     */
    record Agenda(@Nullable Duration nextDue, boolean commands, boolean replays) {}
}
