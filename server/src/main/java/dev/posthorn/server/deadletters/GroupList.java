package dev.posthorn.server.deadletters;

import dev.posthorn.deadletter.DeadLetterGroup;
import dev.posthorn.deadletter.DeadLetterGroups;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Dead letters by cause, the most frequent first.
 *
 * @param complete false if there were too many letters to look at all of them: then counts are of the newest
 */
record GroupList(List<GroupItem> items, boolean complete) {

    static GroupList of(DeadLetterGroups found, @Nullable List<List<Long>> trends) {
        List<GroupItem> items = new ArrayList<>();
        for (int i = 0; i < found.groups().size(); i++) {
            items.add(GroupItem.of(found.groups().get(i), trends == null ? null : trends.get(i)));
        }
        return new GroupList(items, found.complete());
    }

    /**
     * Dead letters of one subscription with one cause.
     *
     * @param types some of the event types, at most five
     * @param sampleId the youngest of them
     * @param trend how many last failed in each hour of the last day, the oldest hour first; only if it was asked for
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
            DeadLetterGroup.@Nullable Note note,
            @Nullable List<Long> trend) {

        static GroupItem of(DeadLetterGroup group, @Nullable List<Long> trend) {
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
                    group.note(),
                    trend);
        }
    }
}
