package dev.posthorn.server.rollup;

import dev.posthorn.log.Queries;
import dev.posthorn.server.database.Database;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What was written down of all hubs, for those who look. */
public final class Rollups {

    /** How long a step of all subscriptions together is. */
    public static final int STEP_SECONDS = 10;

    /** How long a step of one subscription is. */
    public static final int MINUTE_SECONDS = 60;

    /** How long after its end a step may still be on its way here. */
    private static final int SETTLING_SECONDS = 2;

    private static final String NOW = "SELECT posthorn.clock() AS now";

    private static final String ALL = """
            SELECT extract(epoch FROM at)::bigint AS second, min(since_seq) AS since_seq, max(seq) AS seq,
                   sum(delivered)::bigint AS delivered, sum(failed)::bigint AS failed,
                   sum(dead_lettered)::bigint AS dead_lettered
              FROM posthorn.hub_rollup WHERE at >= to_timestamp(:first::bigint) AND at <= to_timestamp(:last::bigint)
             GROUP BY at ORDER BY at
            """;

    private static final String MINUTES = """
            SELECT s.name, extract(epoch FROM r.minute)::bigint AS second, sum(r.delivered)::bigint AS delivered,
                   sum(r.failed)::bigint AS failed, sum(r.dead_lettered)::bigint AS dead_lettered
              FROM posthorn.subscription s
              JOIN posthorn.subscription_rollup r ON r.subscription_id = s.id
             WHERE s.name = ANY (:names::text[])
               AND r.minute >= to_timestamp(:first::bigint) AND r.minute <= to_timestamp(:last::bigint)
             GROUP BY s.name, r.minute
            """;

    private static final String RATES = """
            SELECT s.name, r.*
              FROM (SELECT subscription_id, {five}, {ten}, {before}
                      FROM posthorn.subscription_rollup
                     WHERE minute >= to_timestamp(:second::bigint - 960) GROUP BY subscription_id) r
              JOIN posthorn.subscription s ON s.id = r.subscription_id
            """.replace("{five}", within("five", 300, 0))
            .replace("{ten}", within("ten", 600, 0))
            .replace("{before}", within("before", 900, 300));

    private static String within(String name, int from, int to) {
        String condition = " FILTER (WHERE minute >= to_timestamp(:second::bigint - " + from
                + ") AND minute < to_timestamp(:second::bigint - " + to + "))";
        return "coalesce(sum(delivered)" + condition + ", 0)::bigint AS " + name + "_delivered, coalesce(sum(failed)"
                + condition + ", 0)::bigint AS " + name + "_failed";
    }

    private final Queries queries;

    Rollups(Database database) {
        this.queries = new Queries(database.looks(), database.schema());
    }

    /**
     * Numbers over time, the oldest first.
     *
     * @param from when the first step begins
     * @param recorded empty if only one subscription was asked for
     */
    public record Course(Instant from, int stepSeconds, List<Long> recorded, List<Work> done) {

        public Course {
            recorded = List.copyOf(recorded);
            done = List.copyOf(done);
        }
    }

    /**
     * How a subscription has fared of late.
     *
     * @param five in the last five minutes
     * @param ten in the last ten
     * @param before in the ten minutes that ended five minutes ago
     */
    public record Rate(Work five, Work ten, Work before) {

        public static final Rate NONE = new Rate(Work.NONE, Work.NONE, Work.NONE);
    }

    private record Step(long second, long sinceSeq, long seq, Work work) {}

    /** The database's time. */
    public Instant now() {
        return queries.run(
                "reading the clock",
                t -> t.first(NOW, Map.of(), row -> Queries.time(row, "now")).orElseThrow());
    }

    /** All subscriptions together, up to the last step that has ended by then. */
    public Course all(Instant now, Duration period) {
        long settled = now.getEpochSecond() - SETTLING_SECONDS;
        long end = settled - Math.floorMod(settled, STEP_SECONDS);
        long first = end - period.toSeconds();
        List<Step> steps = queries.run(
                "reading rollups",
                t -> t.list(
                        ALL,
                        Map.of("first", first, "last", end - STEP_SECONDS),
                        row -> new Step(
                                row.getLong("second"), row.getLong("since_seq"), row.getLong("seq"), work(row))));
        int count = (int) (period.toSeconds() / STEP_SECONDS);
        Long[] recorded = filled(count, 0L).toArray(Long[]::new);
        Work[] done = filled(count, Work.NONE).toArray(Work[]::new);
        long told = 0;
        for (Step step : steps) {
            int place = (int) ((step.second() - first) / STEP_SECONDS);
            // Each number counts once, however many hubs have seen it go by.
            recorded[place] = Math.max(0, step.seq() - Math.max(told, step.sinceSeq()));
            told = Math.max(told, step.seq());
            done[place] = step.work();
        }
        return new Course(Instant.ofEpochSecond(first), STEP_SECONDS, List.of(recorded), List.of(done));
    }

    /** Each of these subscriptions by the minute, the one that runs last. */
    public Map<String, Course> minutes(Collection<String> subscriptions, Instant now, Duration period) {
        long last = now.getEpochSecond() - Math.floorMod(now.getEpochSecond(), MINUTE_SECONDS);
        int count = (int) (period.toSeconds() / MINUTE_SECONDS);
        long first = last - (count - 1L) * MINUTE_SECONDS;
        Map<String, List<Work>> all = new HashMap<>();
        subscriptions.forEach(each -> all.put(each, filled(count, Work.NONE)));
        Map<String, Object> values =
                Map.of("names", subscriptions.toArray(String[]::new), "first", first, "last", last);
        queries.run(
                "reading rollups",
                t -> t.list(MINUTES, values, row -> {
                    List<Work> its = all.getOrDefault(row.getString("name"), List.of());
                    return its.set((int) ((row.getLong("second") - first) / MINUTE_SECONDS), work(row));
                }));
        Map<String, Course> courses = new HashMap<>();
        all.forEach((name, its) ->
                courses.put(name, new Course(Instant.ofEpochSecond(first), MINUTE_SECONDS, List.of(), its)));
        return courses;
    }

    /** Those for which anything was tried in the last quarter of an hour. */
    public Map<String, Rate> rates(Instant now) {
        Map<String, Rate> rates = new HashMap<>();
        queries.run(
                "reading rollups",
                t -> t.list(RATES, Map.of("second", now.getEpochSecond()), row -> {
                    rates.put(
                            row.getString("name"), new Rate(rate(row, "five"), rate(row, "ten"), rate(row, "before")));
                    return true;
                }));
        return rates;
    }

    private static Work rate(ResultSet row, String name) throws SQLException {
        return new Work(row.getLong(name + "_delivered"), row.getLong(name + "_failed"), 0);
    }

    private static Work work(ResultSet row) throws SQLException {
        return new Work(row.getLong("delivered"), row.getLong("failed"), row.getLong("dead_lettered"));
    }

    private static <T> List<T> filled(int count, T value) {
        List<T> all = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            all.add(value);
        }
        return all;
    }
}
