package dev.posthorn.server.rollup;

import dev.posthorn.log.Queries;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Writes rollups. */
final class RollupStore {

    private static final Duration STEP = Duration.ofSeconds(Rollups.STEP_SECONDS);

    /** How long after a step has ended it is written: so that a clock that is a little off does not put two into one. */
    private static final Duration GRACE = Duration.ofMillis(500);

    private static final String NOW = """
            SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS seq,
                   (extract(epoch FROM posthorn.clock()) * 1000)::bigint AS millis
              FROM posthorn.event_seq
            """;

    private static final String WRITE = """
            INSERT INTO posthorn.hub_rollup (at, writer, since_seq, seq, delivered, failed, dead_lettered)
            VALUES (to_timestamp(:second::bigint), :writer, :since_seq, :seq, :delivered, :failed, :dead_lettered)
                ON CONFLICT (at, writer) DO UPDATE
               SET seq = excluded.seq, delivered = hub_rollup.delivered + excluded.delivered,
                   failed = hub_rollup.failed + excluded.failed,
                   dead_lettered = hub_rollup.dead_lettered + excluded.dead_lettered
            """;

    private static final String WRITE_SUBSCRIPTIONS = """
            INSERT INTO posthorn.subscription_rollup
                   (subscription_id, minute, writer, delivered, failed, dead_lettered)
            SELECT s.id, to_timestamp(:second::bigint), :writer, w.delivered, w.failed, w.dead_lettered
              FROM unnest(:names::text[], :delivered::bigint[], :failed::bigint[], :dead_lettered::bigint[])
                       AS w (name, delivered, failed, dead_lettered)
              JOIN posthorn.subscription s ON s.name = w.name
                ON CONFLICT (subscription_id, minute, writer) DO UPDATE
               SET delivered = subscription_rollup.delivered + excluded.delivered,
                   failed = subscription_rollup.failed + excluded.failed,
                   dead_lettered = subscription_rollup.dead_lettered + excluded.dead_lettered
            """;

    private static final String TRIM =
            "DELETE FROM posthorn.hub_rollup WHERE at < (SELECT posthorn.clock()) - interval '2 days'";

    private static final String TRIM_SUBSCRIPTIONS =
            "DELETE FROM posthorn.subscription_rollup WHERE minute < (SELECT posthorn.clock()) - interval '25 hours'";

    private final Queries queries;

    RollupStore(Queries queries) {
        this.queries = queries;
    }

    private record Now(long seq, long millis) {}

    /**
     * What there is to know for the next time.
     *
     * @param seq where the log's numbers stand
     * @param untilNext how long it is until the step that runs has ended
     */
    record Written(long seq, Duration untilNext) {}

    /**
     * Writes down what was done, if it was anything.
     *
     * @param since where the log's numbers stood last time; null if there was none
     */
    Written write(UUID writer, @Nullable Long since, Map<String, Work> work) {
        return queries.run("writing rollups", t -> {
            Now now = t.first(NOW, Map.of(), row -> new Now(row.getLong("seq"), row.getLong("millis")))
                    .orElseThrow();
            long step = STEP.toMillis();
            long untilNext = step - Math.floorMod(now.millis(), step) + GRACE.toMillis();
            long from = since == null ? now.seq() : since;
            if (!work.isEmpty() || now.seq() > from) {
                // What a step's end finds was done in the step that has just ended.
                long ended = Math.floorDiv(now.millis() - 2 * GRACE.toMillis(), step) * Rollups.STEP_SECONDS;
                write(t, writer, from, now.seq(), ended, work);
            }
            return new Written(now.seq(), Duration.ofMillis(untilNext));
        });
    }

    private static void write(
            Queries.Transaction t, UUID writer, long since, long seq, long second, Map<String, Work> work)
            throws SQLException {
        Work all = work.values().stream().reduce(Work.NONE, Work::plus);
        Map<String, Object> values = new HashMap<>();
        values.put("second", second);
        values.put("writer", writer);
        values.put("since_seq", since);
        values.put("seq", seq);
        values.put("delivered", all.delivered());
        values.put("failed", all.failed());
        values.put("dead_lettered", all.deadLettered());
        t.update(WRITE, values);
        if (!work.isEmpty()) {
            // In one order, so that two hubs never wait for each other.
            List<String> names = work.keySet().stream().sorted().toList();
            List<Work> done = names.stream().map(work::get).toList();
            values.put("second", second - Math.floorMod(second, Rollups.MINUTE_SECONDS));
            values.put("names", names.toArray(String[]::new));
            values.put("delivered", done.stream().map(Work::delivered).toArray(Long[]::new));
            values.put("failed", done.stream().map(Work::failed).toArray(Long[]::new));
            values.put("dead_lettered", done.stream().map(Work::deadLettered).toArray(Long[]::new));
            t.update(WRITE_SUBSCRIPTIONS, values);
        }
    }

    /** Forgets what is old. */
    void trim() {
        queries.run("forgetting old rollups", t -> t.update(TRIM, Map.of()) + t.update(TRIM_SUBSCRIPTIONS, Map.of()));
    }
}
