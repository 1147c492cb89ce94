package dev.posthorn.deadletter;

import dev.posthorn.deadletter.DeadLetterQuery.State;
import dev.posthorn.log.Queries;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Dead letters by cause. What an index alone can tell is told of all letters; anything else is looked up letter by
 * letter, of the newest ones.
 */
final class Grouping {

    /** How many letters are counted in the index. */
    static final int MOST_COUNTED = 2_000_000;

    /** How many are looked at one by one. */
    static final int MOST_LOOKED = 100_000;

    private static final Set<String> IN_INDEX = Set.of("subscription", "errorClass", "cause", "from", "to");

    /** The planner may read the table instead: much faster, while the index does not know which rows are visible. */
    private static final String COUNTED = """
            SELECT l.subscription_id, l.error_class, l.cause, count(*) AS looked, count(*) AS count,
                   min(l.first_failed_at) AS first_seen, max(l.last_failed_at) AS last_seen, max(l.id) AS sample_id,
                   NULL::text[] AS types
              FROM (SELECT l.subscription_id, l.error_class, l.cause, l.first_failed_at, l.last_failed_at, l.id
                      FROM posthorn.dead_letter l WHERE {condition} LIMIT :slice) l
             GROUP BY l.subscription_id, l.error_class, l.cause
            """;

    private static final String LOOKED = """
            SELECT l.subscription_id, l.error_class, l.cause, count(*) AS looked,
                   count(*) FILTER (WHERE l.fits) AS count,
                   min(l.first_failed_at) FILTER (WHERE l.fits) AS first_seen,
                   max(l.last_failed_at) FILTER (WHERE l.fits) AS last_seen,
                   max(l.id) FILTER (WHERE l.fits) AS sample_id,
                   (array_agg(DISTINCT l.type::text) FILTER (WHERE l.fits))[1:5] AS types
              FROM (SELECT l.subscription_id, l.error_class, l.cause, l.first_failed_at, l.last_failed_at, l.id, l.type,
                           {condition} AS fits
                    {walk}) l
             GROUP BY l.subscription_id, l.error_class, l.cause
            """;

    private static final String GROUPS = """
            SELECT g.*, sum(g.looked) OVER () AS all_looked, s.name AS subscription
              FROM ({grouped}) g JOIN posthorn.subscription s ON s.id = g.subscription_id
             ORDER BY g.count DESC, g.last_seen DESC, s.name, g.error_class, g.cause LIMIT :page_size
            """;

    /** The types of a group that was only counted are those of its newest letters. */
    static final String DETAILS = """
            SELECT sample.error_message, n.note, n.noted_by, n.noted_at, t.types
              FROM unnest(:subscriptions::bigint[], :error_classes::text[], :causes::text[], :samples::bigint[])
                   WITH ORDINALITY AS g (subscription_id, error_class, cause, sample_id, place)
              LEFT JOIN posthorn.dead_letter sample ON sample.id = g.sample_id
              LEFT JOIN posthorn.dead_letter_note n ON n.subscription_id = g.subscription_id
                    AND n.error_class = g.error_class AND n.cause = g.cause
              LEFT JOIN LATERAL (
                   SELECT (array_agg(DISTINCT newest.type::text))[1:5] AS types
                     FROM (SELECT l.type FROM posthorn.dead_letter l
                            WHERE l.discarded_at IS NULL
                              AND (l.subscription_id, l.error_class, l.cause)
                                  >= (g.subscription_id, g.error_class, g.cause)
                              AND (l.subscription_id, l.error_class, l.cause)
                                  <= (g.subscription_id, g.error_class, g.cause)
                            ORDER BY l.subscription_id DESC, l.error_class DESC, l.cause DESC, l.last_failed_at DESC,
                                     l.id DESC LIMIT 100) newest) t ON :counted
             ORDER BY g.place
            """;

    private static final String NO_JIT = "SET LOCAL jit = off";

    private Grouping() {}

    /** A group as far as it was counted; there are no times in one of which no letter was asked for. */
    private record Counted(
            long allLooked,
            long subscriptionId,
            String subscription,
            String errorClass,
            String cause,
            long count,
            @Nullable Instant firstSeen,
            @Nullable Instant lastSeen,
            long sampleId,
            List<String> types) {

        static Counted read(ResultSet row) throws SQLException {
            return new Counted(
                    row.getLong("all_looked"),
                    row.getLong("subscription_id"),
                    row.getString("subscription"),
                    row.getString("error_class"),
                    row.getString("cause"),
                    row.getLong("count"),
                    Queries.timeOrNull(row, "first_seen"),
                    Queries.timeOrNull(row, "last_seen"),
                    row.getLong("sample_id"),
                    texts(row.getArray("types")));
        }
    }

    private record Detail(String sampleMessage, DeadLetterGroup.@Nullable Note note, List<String> types) {

        static Detail read(ResultSet row) throws SQLException {
            String note = row.getString("note");
            return new Detail(
                    row.getString("error_message"),
                    note == null
                            ? null
                            : new DeadLetterGroup.Note(note, row.getString("noted_by"), Queries.time(row, "noted_at")),
                    texts(row.getArray("types")));
        }
    }

    static DeadLetterGroups groups(Queries.Transaction transaction, DeadLetterQuery query) throws SQLException {
        transaction.update(NO_JIT, Map.of());
        if (!isInIndex(query)) {
            DeadLetters.walkOnly(transaction);
        }
        List<Counted> counted = transaction.list(statement(query), values(query), Counted::read);
        boolean complete = counted.isEmpty() || counted.get(0).allLooked() < most(query);
        List<Counted> asked =
                counted.stream().filter(group -> group.count() > 0).toList();
        DeadLetters.walkOnly(transaction);
        List<Detail> details = transaction.list(DETAILS, detailValues(asked, isInIndex(query)), Detail::read);
        List<DeadLetterGroup> groups = new ArrayList<>();
        for (int i = 0; i < asked.size(); i++) {
            groups.add(group(asked.get(i), details.get(i)));
        }
        return new DeadLetterGroups(groups, complete);
    }

    /** The statement that counts. */
    static String statement(DeadLetterQuery query) {
        String grouped = isInIndex(query)
                ? COUNTED
                : LOOKED.replace("{walk}", DeadLetterTrail.of(query).walk(query));
        return GROUPS.replace("{grouped}", grouped.replace("{condition}", query.condition()));
    }

    private static boolean isInIndex(DeadLetterQuery query) {
        return query.state() == State.OPEN && IN_INDEX.containsAll(query.fields());
    }

    private static int most(DeadLetterQuery query) {
        return isInIndex(query) ? MOST_COUNTED : MOST_LOOKED;
    }

    static Map<String, Object> values(DeadLetterQuery query) {
        Map<String, Object> values =
                new HashMap<>(DeadLetterTrail.values(query, DeadLetterTrail.beginning(query), most(query)));
        values.put("page_size", query.pageSize());
        return values;
    }

    private static Map<String, Object> detailValues(List<Counted> groups, boolean counted) {
        return Map.of(
                "subscriptions", numbers(groups, Counted::subscriptionId),
                "error_classes", groups.stream().map(Counted::errorClass).toArray(String[]::new),
                "causes", groups.stream().map(Counted::cause).toArray(String[]::new),
                "samples", numbers(groups, Counted::sampleId),
                "counted", counted);
    }

    private static Long[] numbers(List<Counted> groups, Function<Counted, Long> number) {
        return groups.stream().map(number).toArray(Long[]::new);
    }

    private static DeadLetterGroup group(Counted counted, Detail detail) {
        return new DeadLetterGroup(
                counted.subscription(),
                counted.errorClass(),
                counted.cause(),
                counted.count(),
                Objects.requireNonNull(counted.firstSeen()),
                Objects.requireNonNull(counted.lastSeen()),
                counted.types().isEmpty() ? detail.types() : counted.types(),
                counted.sampleId(),
                detail.sampleMessage(),
                detail.note());
    }

    private static List<String> texts(@Nullable Array texts) throws SQLException {
        return texts == null ? List.of() : List.of((String[]) texts.getArray());
    }
}
