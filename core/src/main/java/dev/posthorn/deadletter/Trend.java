package dev.posthorn.deadletter;

import dev.posthorn.log.Queries;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** When the letters of groups failed last, counted along the index that has the groups. */
final class Trend {

    private static final int HOURS = 24;

    /** How many of a group are counted. */
    private static final int MOST_COUNTED = 100_000;

    private static final String COUNT =
            """
            SELECT g.place, l.ago, count(*) AS count
              FROM unnest(:subscriptions::text[], :error_classes::text[], :causes::text[])
                   WITH ORDINALITY AS g (subscription, error_class, cause, place)
              JOIN posthorn.subscription s ON s.name = g.subscription
             CROSS JOIN (SELECT posthorn.clock() AS now OFFSET 0) c
             CROSS JOIN LATERAL (
                   SELECT least({hours} - 1, greatest(0, floor(extract(epoch FROM c.now - l.last_failed_at) / 3600)))::int AS ago
                     FROM posthorn.dead_letter l
                    WHERE l.subscription_id = s.id AND l.error_class = g.error_class AND l.cause = g.cause
                      AND l.discarded_at IS NULL AND l.last_failed_at >= c.now - {hours} * interval '1 hour'
                    ORDER BY l.last_failed_at DESC LIMIT {most}) l
             GROUP BY g.place, l.ago
            """.replace("{hours}", Integer.toString(HOURS)).replace("{most}", Integer.toString(MOST_COUNTED));

    private Trend() {}

    private record Bar(int group, int ago, long count) {}

    static List<List<Long>> of(Queries.Transaction transaction, List<DeadLetterGroup> groups) throws SQLException {
        List<Long[]> trends = new ArrayList<>();
        for (int i = 0; i < groups.size(); i++) {
            Long[] none = new Long[HOURS];
            Arrays.fill(none, 0L);
            trends.add(none);
        }
        Map<String, Object> values = Map.of(
                "subscriptions", texts(groups, DeadLetterGroup::subscription),
                "error_classes", texts(groups, DeadLetterGroup::errorClass),
                "causes", texts(groups, DeadLetterGroup::cause));
        transaction
                .list(COUNT, values, row -> new Bar(row.getInt("place") - 1, row.getInt("ago"), row.getLong("count")))
                .forEach(bar -> trends.get(bar.group())[HOURS - 1 - bar.ago()] = bar.count());
        return trends.stream().map(List::of).toList();
    }

    private static String[] texts(List<DeadLetterGroup> groups, Function<DeadLetterGroup, String> text) {
        return groups.stream().map(text).toArray(String[]::new);
    }
}
