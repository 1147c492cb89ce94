package dev.posthorn.status;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.RecordedEvent;
import dev.posthorn.log.EventRow;
import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import dev.posthorn.subscription.Attempt;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Finds events, and tells what has become of them. However long the log is, a page costs a bounded number of rows: a
 * search for something rare ends early with what it has, and goes on with the next page.
 */
public final class EventSearch {

    /** Status and fields have to be of one moment, or a page could hold what was not asked for. */
    private static final String ONE_MOMENT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY";

    private static final String PLACES = """
            SELECT seq, source FROM posthorn.event WHERE id = :id
            UNION
            SELECT seq, source FROM posthorn.kept_event WHERE id = :id
            UNION
            SELECT seq, source FROM posthorn.dead_letter WHERE event_id = :id AND purged_at IS NULL
             ORDER BY seq DESC LIMIT 1000
            """;

    private static final String KNOWN = """
            SELECT id FROM posthorn.event WHERE id = ANY (:ids::uuid[])
            UNION
            SELECT id FROM posthorn.kept_event WHERE id = ANY (:ids::uuid[])
            UNION
            SELECT event_id FROM posthorn.dead_letter WHERE event_id = ANY (:ids::uuid[]) AND purged_at IS NULL
            """;

    private static final String EVENT =
            """
            SELECT {columns} FROM (
                SELECT {row} FROM posthorn.event WHERE seq = :seq
                UNION ALL
                SELECT {row} FROM posthorn.kept_event WHERE seq = :seq
                UNION ALL
                SELECT l.seq, l.event_id, l.source_id, l.source, l.type, l.version, l.aggregate_type, l.key,
                       l.content_type, l.payload, l.headers, l.occurred_at, l.recorded_at, l.deliver_at
                  FROM posthorn.dead_letter l WHERE l.event_id = :id AND l.seq = :seq AND l.purged_at IS NULL
                 LIMIT 1) e
            """.replace("{columns}", EventRow.COLUMNS).replace("{row}", EventRow.ROW);

    private static final String STATUSES = """
            SELECT {status} FROM posthorn.event_status
             WHERE event_id = :id AND seq = :seq ORDER BY subscription, deleted_at
            """.replace("{status}", EventStatuses.STATUS);

    /** Without a limit of attempts there may be any number of them. */
    private static final String ATTEMPTS = """
            SELECT s.name AS subscription, t.*
              FROM posthorn.subscription s
             CROSS JOIN LATERAL (
                   SELECT number, started_at, took_ms, outcome, error_class, message, reply_code, reply, instance
                     FROM posthorn.attempt WHERE subscription_id = s.id AND seq = :seq
                    ORDER BY started_at DESC LIMIT :most) t
             ORDER BY s.name, t.started_at, t.number
            """;

    /** How many attempts of one event are told for each subscription: the last ones. */
    static final int MOST_ATTEMPTS = 100;

    private final Queries queries;

    public EventSearch(DataSource dataSource, SchemaName schema) {
        this.queries = new Queries(dataSource, schema);
    }

    /** A page of events, newest first. What is recorded meanwhile comes before the first page. */
    public EventPage find(EventQuery query) {
        return queries.run("looking for events", t -> {
            t.update(ONE_MOMENT, Map.of());
            return Search.begin(t.walkingIndexes(), query).page();
        });
    }

    /**
     * An event with all that is known about it, also if only a dead letter or a waiting row is left of it; empty if
     * nothing is. If it was recorded more than once it is the last one.
     *
     * @param source needed only if events of several sources have this id
     */
    public Optional<FullEvent> get(UUID id, @Nullable String source) {
        return queries.run("reading an event", t -> {
            t.update(ONE_MOMENT, Map.of());
            Optional<Place> place = place(t, id, source);
            return place.isEmpty() ? Optional.empty() : read(t, id, place.get().seq());
        });
    }

    /** Which of these ids anything is known of. */
    public List<UUID> known(List<UUID> ids) {
        String[] texts = ids.stream().map(UUID::toString).toArray(String[]::new);
        return queries.run(
                "looking for an event",
                t -> t.walkingIndexes().list(KNOWN, Map.of("ids", texts), row -> row.getObject(1, UUID.class)));
    }

    private record Place(long seq, String source) {}

    private static Optional<Place> place(Queries.Transaction transaction, UUID id, @Nullable String source)
            throws SQLException {
        List<Place> places =
                transaction
                        .list(PLACES, Map.of("id", id), row -> new Place(row.getLong("seq"), row.getString("source")))
                        .stream()
                        .filter(place -> source == null || source.equals(place.source()))
                        .toList();
        List<String> sources =
                places.stream().map(Place::source).distinct().sorted().toList();
        if (sources.size() > 1) {
            throw new PosthornException(
                    ErrorCode.CONFLICT,
                    "events of several sources have the id " + id + ": " + String.join(", ", sources)
                            + "; say which with source");
        }
        return places.stream().findFirst();
    }

    private static Optional<FullEvent> read(Queries.Transaction transaction, UUID id, long seq) throws SQLException {
        Map<String, Object> values = Map.of("id", id, "seq", seq, "most", MOST_ATTEMPTS);
        Optional<RecordedEvent> event = transaction.first(EVENT, values, EventRow::read);
        if (event.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new FullEvent(
                event.get(), transaction.list(STATUSES, values, EventStatuses::status), attempts(transaction, values)));
    }

    private static Map<String, List<Attempt>> attempts(Queries.Transaction transaction, Map<String, Object> values)
            throws SQLException {
        Map<String, List<Attempt>> attempts = new LinkedHashMap<>();
        transaction.list(
                ATTEMPTS,
                values,
                row -> attempts.computeIfAbsent(row.getString("subscription"), name -> new ArrayList<>())
                        .add(Attempt.read(row)));
        return attempts;
    }
}
