package dev.posthorn.deadletter;

import java.util.List;

/**
 * The causes, the most frequent first.
 *
 * @param complete whether every letter was counted; if not, there were too many to look at all of them
 */
public record DeadLetterGroups(List<DeadLetterGroup> groups, boolean complete) {

    public DeadLetterGroups {
        groups = List.copyOf(groups);
    }
}
