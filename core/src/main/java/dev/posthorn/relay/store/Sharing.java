package dev.posthorn.relay.store;

import dev.posthorn.log.Filter;
import dev.posthorn.log.Snapshot;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How a subscription stands, as of one look.
 *
 * @param lanes of the current generation, like the filter
 * @param sessions those that serve it, in a fixed order
 * @param revision of what was asked for last
 * @param change the change to another generation, if one is wanted
 * @param stopAt the snapshot at which all lanes stop for it
 * @param letGoSeq events below it are not waited for any longer
 * @param asks whether there is a command without an answer, or a replay that runs
 */
public record Sharing(
        int generation,
        int lanes,
        Filter filter,
        List<UUID> sessions,
        long revision,
        @Nullable UUID change,
        @Nullable Snapshot stopAt,
        boolean paused,
        long letGoSeq,
        boolean asks) {

    public Sharing {
        sessions = List.copyOf(sessions);
    }

    public boolean isChanging() {
        return change != null;
    }

    /** How many lanes this session is to have. The odd ones go to different sessions for different subscriptions. */
    public int quota(UUID session, long subscriptionId) {
        int count = sessions.size();
        int place = sessions.indexOf(session);
        if (place < 0) {
            return 0;
        }
        int turn = (int) ((place + subscriptionId) % count);
        return lanes / count + (turn < lanes % count ? 1 : 0);
    }
}
