package dev.posthorn.status;

import dev.posthorn.log.Queries;
import dev.posthorn.log.TimeBounds;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One page being searched for: a walk along a trail that ends when the page is full or enough was looked at. */
final class Search {

    /** How many rows one page looks at, about. */
    static final int MOST_LOOKED = 50_000;

    /** Of how many events one page looks up the status to see whether it is the one asked for, about. */
    static final int MOST_CHECKED = 2_000;

    /** How many statuses are looked up at a time. */
    private static final int CHUNK = 250;

    /**
     * Also for the page itself. Deleted subscriptions, of which there may be thousands, are told of a single event only; nor
     * is one of them meant by a name that another has now.
     */
    static final String STATUSES = """
            SELECT {status} FROM posthorn.event_status
             WHERE seq = ANY (:seqs::bigint[]) AND deleted_at IS NULL ORDER BY seq DESC, subscription
            """.replace("{status}", EventStatuses.STATUS);

    static final String EVENTS = """
            SELECT DISTINCT ON (seq) seq, id, source_id, source, type, version, aggregate_type, key, content_type,
                   occurred_at, created_at, deliver_at
              FROM (SELECT seq, id, source_id, source, type, version, aggregate_type, key, content_type, occurred_at,
                           created_at, deliver_at
                      FROM posthorn.event WHERE seq = ANY (:seqs::bigint[])
                    UNION ALL
                    SELECT seq, id, source_id, source, type, version, aggregate_type, key, content_type, occurred_at,
                           created_at, deliver_at
                      FROM posthorn.kept_event WHERE seq = ANY (:seqs::bigint[])
                    UNION ALL
                    SELECT l.seq, l.event_id, l.source_id, l.source, l.type, l.version, l.aggregate_type, l.key,
                           l.content_type, l.occurred_at, l.recorded_at, l.deliver_at
                      FROM posthorn.subscription s
                     CROSS JOIN LATERAL (SELECT * FROM posthorn.dead_letter
                                          WHERE subscription_id = s.id AND seq = ANY (:seqs::bigint[])) l) e
             ORDER BY seq DESC
            """;

    private final Queries.Transaction transaction;
    private final EventQuery query;
    private final EventTrail trail;
    private final long least;
    private final List<Long> found = new ArrayList<>();
    private long before;
    private int looked;
    private int checked;
    private boolean ended;

    private Search(Queries.Transaction transaction, EventQuery query, EventTrail trail, TimeBounds bounds) {
        this.transaction = transaction;
        this.query = query;
        this.trail = trail;
        this.least = bounds.least();
        this.before = Math.min(query.before(), bounds.before());
    }

    static Search begin(Queries.Transaction transaction, EventQuery query) throws SQLException {
        EventStatuses.requireIfGiven(transaction, query.subscription());
        return new Search(
                transaction,
                query,
                EventTrail.of(transaction, query),
                TimeBounds.of(transaction, query.from(), query.to()));
    }

    EventPage page() throws SQLException {
        while (!isFull() && !ended && looked < MOST_LOOKED && checked < MOST_CHECKED) {
            take(trail.look(transaction, before, least));
        }
        List<Long> page = isFull() ? found.subList(0, query.pageSize()) : found;
        return new EventPage(events(page), next(page));
    }

    /** One more than the page holds, which tells that there is more. */
    private boolean isFull() {
        return found.size() > query.pageSize();
    }

    private @Nullable Long next(List<Long> page) {
        if (isFull()) {
            return page.get(page.size() - 1);
        }
        return ended ? null : (Long) before;
    }

    private void take(EventTrail.Slice slice) throws SQLException {
        looked += slice.looked();
        ended = slice.looked() == 0;
        List<Long> candidates = slice.found();
        for (int i = 0; i < candidates.size() && !isFull() && checked < MOST_CHECKED; i += CHUNK) {
            List<Long> chunk = candidates.subList(i, Math.min(i + CHUNK, candidates.size()));
            found.addAll(query.asksForStatus() ? accepted(chunk) : chunk);
            before = chunk.get(chunk.size() - 1);
        }
        boolean tookAll = candidates.isEmpty() || before == candidates.get(candidates.size() - 1);
        if (tookAll && !ended) {
            before = slice.last();
        }
    }

    private List<Long> accepted(List<Long> candidates) throws SQLException {
        checked += candidates.size();
        Set<Long> accepted = new HashSet<>();
        for (SubscriptionStatus status : statuses(candidates)) {
            if (query.accepts(status)) {
                accepted.add(status.seq());
            }
        }
        return candidates.stream().filter(accepted::contains).toList();
    }

    private List<SubscriptionStatus> statuses(List<Long> seqs) throws SQLException {
        return transaction.list(STATUSES, Map.of("seqs", seqs.toArray(Long[]::new)), EventStatuses::status);
    }

    private List<EventSummary> events(List<Long> page) throws SQLException {
        if (page.isEmpty()) {
            return List.of();
        }
        List<SubscriptionStatus> statuses = statuses(page);
        return transaction.list(
                EVENTS, Map.of("seqs", page.toArray(Long[]::new)), row -> summary(row, row.getLong("seq"), statuses));
    }

    private static EventSummary summary(ResultSet row, long seq, List<SubscriptionStatus> statuses)
            throws SQLException {
        return new EventSummary(
                seq,
                row.getObject("id", UUID.class),
                row.getString("source_id"),
                row.getString("source"),
                row.getString("type"),
                row.getInt("version"),
                row.getString("aggregate_type"),
                row.getString("key"),
                row.getString("content_type"),
                Queries.time(row, "occurred_at"),
                Queries.time(row, "created_at"),
                Queries.timeOrNull(row, "deliver_at"),
                statuses.stream().filter(status -> status.seq() == seq).toList());
    }
}
