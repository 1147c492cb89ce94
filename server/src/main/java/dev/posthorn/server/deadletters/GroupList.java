package dev.posthorn.server.deadletters;

import dev.posthorn.deadletter.DeadLetterGroup;
import dev.posthorn.deadletter.DeadLetterGroups;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Dead letters by cause, the most frequent first.
 *
 * @param complete false if there were too many letters to look at all of them: then counts are of the newest
 */
record GroupList(List<GroupItem> items, boolean complete) {

    static GroupList of(DeadLetterGroups found) {
        return new GroupList(found.groups().stream().map(GroupItem::of).toList(), found.complete());
    }

    /**
     * Dead letters of one subscription with one cause.
     *
     * @param types some of the event types, at most five
     * @param sampleId the youngest of them
     */
    record GroupItem(
            String subscriberId,
            String errorClass,
            String cause,
            long count,
            Instant firstSeen,
            Instant lastSeen,
            List<String> types,
            long sampleId,
            String sampleMessage,
            DeadLetterGroup.@Nullable Note note) {

        static GroupItem of(DeadLetterGroup group) {
            return new GroupItem(
                    group.subscription(),
                    group.errorClass(),
                    group.cause(),
                    group.count(),
                    group.firstSeen(),
                    group.lastSeen(),
                    group.types(),
                    group.sampleId(),
                    group.sampleMessage(),
                    group.note());
        }
    }
}
