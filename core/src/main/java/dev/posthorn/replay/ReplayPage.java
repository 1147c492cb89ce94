package dev.posthorn.replay;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some replays, the newest first.
 *
 * @param next what to ask with for the next page; null if this is the last one
 */
public record ReplayPage(List<Replay> replays, @Nullable Long next) {

    public ReplayPage {
        replays = List.copyOf(replays);
    }
}
