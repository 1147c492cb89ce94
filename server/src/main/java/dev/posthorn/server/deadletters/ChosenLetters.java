package dev.posthorn.server.deadletters;

import dev.posthorn.deadletter.DeadLetterQuery;
import dev.posthorn.deadletter.DeadLetterQuery.State;
import dev.posthorn.server.ingest.Sources;
import dev.posthorn.server.web.Parameters;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which dead letters to give up, or to purge, and why: exactly one of the first four.
 *
 * @param dryRun true: only tells how many
 */
record ChosenLetters(
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

    /** The reason, without which nothing is done. */
    String requireReason(String otherwise) {
        if (reason == null || reason.isBlank()) {
            throw Parameters.refused("reason", "is missing; " + otherwise);
        }
        return reason;
    }

    /** The open ones among them. */
    DeadLetterQuery open(Sources sources) {
        if (filter != null && filter.discarded() != null && !filter.discarded().equals("no")) {
            throw Parameters.refused("filter.discarded", "must be left out: what was discarded stays so");
        }
        return query(sources, State.OPEN);
    }

    /** Those that are named, discarded or not; of a filter those that it says. */
    DeadLetterQuery all(Sources sources) {
        return query(sources, State.ANY);
    }

    private DeadLetterQuery query(Sources sources, State named) {
        if (id != null) {
            return DeadLetterQuery.builder().id(id).state(named).build();
        }
        if (ids != null) {
            return ofIds(ids, named);
        }
        if (group != null) {
            return group.query(sources);
        }
        return Objects.requireNonNull(filter, "one of them is given")
                .query(sources)
                .build();
    }

    private static DeadLetterQuery ofIds(List<Long> ids, State named) {
        if (ids.contains(null)) {
            throw Parameters.refused("ids", "holds null; give numbers");
        }
        return DeadLetterQuery.builder().ids(ids).state(named).build();
    }
}
