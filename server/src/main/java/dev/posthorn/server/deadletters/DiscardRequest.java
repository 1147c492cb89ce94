package dev.posthorn.server.deadletters;

import dev.posthorn.deadletter.DeadLetterQuery;
import dev.posthorn.server.ingest.Sources;
import dev.posthorn.server.web.Parameters;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which dead letters to give up, and why: exactly one of the first four.
 *
 * @param dryRun true: only tells how many
 */
record DiscardRequest(
        @Nullable Long id,
        @Nullable List<Long> ids,
        @Nullable GroupName group,
        @Nullable DeadLetterFilter filter,
        @Nullable String reason,
        @Nullable Boolean dryRun) {

    /** A group, as the list of groups names it. */
    record GroupName(
            @Nullable String subscriberId,
            @Nullable String errorClass,
            @Nullable String cause) {

        DeadLetterQuery query(Sources sources) {
            return new DeadLetterFilter(
                            null,
                            required("subscriberId", subscriberId),
                            null,
                            required("errorClass", errorClass),
                            required("cause", cause),
                            null,
                            null,
                            null,
                            null,
                            null,
                            null,
                            null,
                            null)
                    .query(sources)
                    .build();
        }

        private static String required(String field, @Nullable String value) {
            if (value == null) {
                throw Parameters.refused("group." + field, "is missing; take it from the group as it is listed");
            }
            return value;
        }
    }

    boolean isDryRun() {
        return Boolean.TRUE.equals(dryRun);
    }

    /** Refuses a request that selects nothing, or in two ways. */
    void requireOneSelection() {
        List<String> given = new ArrayList<>();
        add(given, "id", id);
        add(given, "ids", ids);
        add(given, "group", group);
        add(given, "filter", filter);
        if (given.size() != 1) {
            throw Parameters.refused(
                    "",
                    (given.isEmpty() ? "nothing is selected" : String.join(" and ", given) + " are given")
                            + "; give exactly one of id, ids, group, filter");
        }
    }

    private static void add(List<String> given, String field, @Nullable Object value) {
        if (value != null) {
            given.add(field);
        }
    }

    DeadLetterQuery query(Sources sources) {
        if (id != null) {
            return DeadLetterQuery.builder().id(id).build();
        }
        if (ids != null) {
            return ofIds(ids);
        }
        if (group != null) {
            return group.query(sources);
        }
        return ofFilter(filter, sources);
    }

    private static DeadLetterQuery ofIds(List<Long> ids) {
        if (ids.contains(null)) {
            throw Parameters.refused("ids", "holds null; give numbers");
        }
        return DeadLetterQuery.builder().ids(ids).build();
    }

    private static DeadLetterQuery ofFilter(@Nullable DeadLetterFilter filter, Sources sources) {
        if (filter == null) {
            throw new IllegalStateException("one of them is given");
        }
        if (filter.discarded() != null && !filter.discarded().equals("no")) {
            throw Parameters.refused("filter.discarded", "must be left out: what was discarded stays so");
        }
        return filter.query(sources).build();
    }
}
