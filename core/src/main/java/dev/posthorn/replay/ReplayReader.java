package dev.posthorn.replay;

import dev.posthorn.error.Requests;
import dev.posthorn.log.Queries;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads replays. Everything of one is read by one statement: lanes move items and counts together. */
final class ReplayReader {

    private static final String READ = """
            SELECT r.*, d.delivered, p.pending, ended.reasons, ended.counts, about.names, about.numbers,
                   ARRAY(SELECT t.key FROM jsonb_each_text(r.selection) t ORDER BY t.key) AS fields,
                   ARRAY(SELECT t.value FROM jsonb_each_text(r.selection) t ORDER BY t.key) AS texts,
                   extract(epoch FROM posthorn.clock() - r.requested_at) AS running_s
              FROM posthorn.replay r
             CROSS JOIN LATERAL (
                   SELECT coalesce(sum(d.count), 0) AS delivered FROM posthorn.replay_delivered d
                    WHERE d.replay_id = r.id) d
             CROSS JOIN LATERAL (
                   SELECT count(*) AS pending FROM posthorn.replay_item i
                    WHERE i.replay_id = r.id AND i.state = 'PENDING') p
             CROSS JOIN LATERAL (
                   SELECT coalesce(array_agg(e.reason), '{}') AS reasons,
                          coalesce(array_agg(e.count), '{}') AS counts
                     FROM (SELECT CASE WHEN i.state = 'SKIPPED' THEN i.reason ELSE '' END AS reason,
                                  count(*) AS count
                             FROM posthorn.replay_item i WHERE i.replay_id = r.id AND i.state <> 'PENDING'
                            GROUP BY 1) e) ended
             CROSS JOIN LATERAL (
                   SELECT coalesce(array_agg(s.name), '{}') AS names, coalesce(array_agg(s.requested), '{}') AS numbers
                     FROM posthorn.replay_subscription s WHERE s.replay_id = r.id) about
             WHERE {condition}
            """;

    private static final String GET = READ.replace("{condition}", "r.id = :id");

    private static final String FIND = READ.replace("{condition}", """
            r.id IN (SELECT f.id FROM posthorn.replay f
                      WHERE f.id < :before AND (:states::text[] = '{}' OR f.state = ANY (:states::text[]))
                        AND (:subscription::text IS NULL OR EXISTS (
                             SELECT FROM posthorn.replay_subscription s
                              WHERE s.replay_id = f.id AND s.name = :subscription))
                      ORDER BY f.id DESC LIMIT :most)
             ORDER BY r.id DESC
            """);

    private static final String EXISTS = "SELECT 1 FROM posthorn.replay WHERE id = :id";

    private static final String ITEMS = """
            SELECT s.name, i.subscription_id, i.seq, i.event_id, i.dead_letter_id, i.state, i.reason, i.message, i.ended_at
              FROM posthorn.replay_item i
              JOIN posthorn.replay_subscription s ON s.replay_id = i.replay_id AND s.subscription_id = i.subscription_id
             WHERE i.replay_id = :id AND i.state <> 'PENDING'
               AND (i.subscription_id, i.seq) > (:after_subscription, :after_seq)
               AND (:outcome::text IS NULL OR i.state = :outcome)
               AND (:subscription::text IS NULL OR s.name = :subscription)
             ORDER BY i.subscription_id, i.seq LIMIT :most
            """;

    private record Found(long subscription, ReplayItem item) {}

    private ReplayReader() {}

    static Replay get(Queries.Transaction transaction, long id) throws SQLException {
        Optional<Replay> found = transaction.first(GET, Map.of("id", id), ReplayReader::replay);
        return found.orElseThrow(() -> unknown(id));
    }

    static RuntimeException unknown(long id) {
        return Requests.notFound("there is no replay with id " + id
                + "; replays that ended long ago are deleted. List those that are there");
    }

    static ReplayPage find(Queries.Transaction transaction, ReplayQuery query) throws SQLException {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("before", query.before());
        values.put("states", query.states());
        values.put("subscription", query.subscription());
        values.put("most", query.pageSize() + 1);
        List<Replay> found = transaction.list(FIND, values, ReplayReader::replay);
        if (found.size() <= query.pageSize()) {
            return new ReplayPage(found, null);
        }
        List<Replay> page = found.subList(0, query.pageSize());
        return new ReplayPage(page, page.get(page.size() - 1).id());
    }

    static ItemPage items(Queries.Transaction transaction, long id, ItemQuery query) throws SQLException {
        if (transaction.list(EXISTS, Map.of("id", id), row -> 1).isEmpty()) {
            throw unknown(id);
        }
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("id", id);
        values.put("after_subscription", query.after().subscription());
        values.put("after_seq", query.after().seq());
        values.put("outcome", query.outcome());
        values.put("subscription", query.subscription());
        values.put("most", query.pageSize() + 1);
        return page(transaction.list(ITEMS, values, ReplayReader::item), query.pageSize());
    }

    private static ItemPage page(List<Found> found, int size) {
        List<ReplayItem> items = found.stream().limit(size).map(Found::item).toList();
        if (found.size() <= size) {
            return new ItemPage(items, null);
        }
        Found last = found.get(size - 1);
        return new ItemPage(
                items, new ItemQuery.Place(last.subscription(), last.item().seq()).cursor());
    }

    private static Found item(ResultSet row) throws SQLException {
        return new Found(
                row.getLong("subscription_id"),
                new ReplayItem(
                        row.getString("name"),
                        row.getLong("seq"),
                        row.getObject("event_id", UUID.class),
                        (Long) row.getObject("dead_letter_id"),
                        ReplayItem.Outcome.valueOf(row.getString("state")),
                        row.getString("reason"),
                        row.getString("message"),
                        Queries.time(row, "ended_at")));
    }

    private static Replay replay(ResultSet row) throws SQLException {
        Map<String, Long> ended = ended(row);
        long failed = ended.getOrDefault("", 0L);
        ended.remove("");
        ReplayState state = ReplayState.valueOf(row.getString("state"));
        long delivered = row.getLong("delivered");
        long pending = row.getLong("pending");
        Double rate = (Double) row.getObject("rate_per_second");
        return new Replay(
                row.getLong("id"),
                state,
                row.getString("state_reason"),
                texts(row),
                row.getLong("requested"),
                delivered,
                failed,
                ended,
                pending,
                rate,
                (Integer) row.getObject("max_in_flight"),
                (Integer) row.getObject("canary"),
                row.getBoolean("canary_goes_on"),
                row.getBoolean("trying"),
                (Double) row.getObject("stop_at_failure_rate"),
                row.getString("requested_by"),
                row.getString("reason"),
                Queries.time(row, "requested_at"),
                Queries.timeOrNull(row, "ended_at"),
                numbers(array(row, "names"), (Long[]) row.getArray("numbers").getArray()),
                state == ReplayState.RUNNING
                        ? eta(pending, rate, delivered + failed, row.getDouble("running_s"))
                        : null);
    }

    /** By reason; those that failed under no reason at all. */
    private static Map<String, Long> ended(ResultSet row) throws SQLException {
        return numbers(array(row, "reasons"), (Long[]) row.getArray("counts").getArray());
    }

    private static Map<String, Long> numbers(String[] names, Long[] numbers) {
        Map<String, Long> all = new HashMap<>();
        for (int i = 0; i < names.length; i++) {
            all.merge(names[i], numbers[i], Long::sum);
        }
        return all;
    }

    private static Map<String, String> texts(ResultSet row) throws SQLException {
        String[] fields = array(row, "fields");
        String[] texts = array(row, "texts");
        Map<String, String> all = new HashMap<>();
        for (int i = 0; i < fields.length; i++) {
            all.put(fields[i], texts[i]);
        }
        return all;
    }

    private static String[] array(ResultSet row, String column) throws SQLException {
        return (String[]) row.getArray(column).getArray();
    }

    private static @Nullable Duration eta(long pending, @Nullable Double rate, long done, double runningSeconds) {
        double perSecond = rate != null ? rate : runningSeconds <= 0 ? 0 : done / runningSeconds;
        if (pending == 0 || perSecond <= 0) {
            return pending == 0 ? Duration.ZERO : null;
        }
        return Duration.ofSeconds((long) Math.min(Math.ceil(pending / perSecond), Integer.MAX_VALUE));
    }
}
