package dev.posthorn.status;

import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** What was tried of late for a subscription, as far as a record of it is kept. */
public final class RecentAttempts {

    /** How many attempts of all subscriptions one page looks at. */
    private static final int MOST_WALKED = 50_000;

    private static final String FIND = "SELECT id FROM posthorn.subscription WHERE name = :name";

    private static final String WALK = """
            SELECT subscription_id, seq, number, started_at, took_ms, outcome, error_class, message, reply_code, instance
              FROM posthorn.attempt
             WHERE started_at <= :at AND (started_at, seq, number) < (:at, :seq, :number)
             ORDER BY started_at DESC, seq DESC, number DESC
            """;

    private static final String PAGE = """
            WITH found AS MATERIALIZED (
                SELECT * FROM ({walk} LIMIT :walked) w
                 WHERE subscription_id = :subscription AND (:any OR outcome = ANY (:outcomes::text[]))
                 ORDER BY started_at DESC, seq DESC, number DESC LIMIT :limit)
            SELECT f.*, e.id AS event_id, e.type, e.key
              FROM found f
              LEFT JOIN LATERAL (
                   SELECT id, type, key FROM posthorn.event WHERE seq = f.seq
                   UNION ALL
                   SELECT id, type, key FROM posthorn.kept_event WHERE seq = f.seq
                   UNION ALL
                   SELECT event_id, type, key FROM posthorn.dead_letter
                    WHERE subscription_id = f.subscription_id AND seq = f.seq AND purged_at IS NULL LIMIT 1) e ON true
             ORDER BY f.started_at DESC, f.seq DESC, f.number DESC
            """.replace("{walk}", WALK);

    /** The last that a page looked at, if it looked at all that it may. */
    private static final String END = "SELECT started_at, seq, number FROM (" + WALK + " OFFSET :walked - 1 LIMIT 1) w";

    private static final Place BEGINNING = new Place(Instant.parse("9999-01-01T00:00:00Z"), 0, 0);

    private final Queries queries;

    public RecentAttempts(DataSource dataSource, SchemaName schema) {
        this.queries = new Queries(dataSource, schema);
    }

    /** Where a list goes on. */
    public record Place(Instant startedAt, long seq, int number) {}

    /**
     * One attempt.
     *
     * @param eventId null, like the type, if nothing is left of the event
     */
    public record Tried(
            Place place,
            @Nullable UUID eventId,
            @Nullable String type,
            @Nullable String key,
            Duration took,
            String outcome,
            @Nullable String errorClass,
            @Nullable String message,
            @Nullable Integer replyCode,
            String instance) {}

    /**
     * A part of the list, the newest first.
     *
     * @param next null at the end; there may be one although the part is short
     */
    public record Page(List<Tried> attempts, @Nullable Place next) {

        public Page {
            attempts = List.copyOf(attempts);
        }
    }

    /**
     * A part of the attempts of a subscription, the newest first.
     *
     * @param outcomes only those; empty: any
     */
    public Page page(String subscription, Set<String> outcomes, @Nullable Place after, int limit) {
        EventStatuses.atLeast("limit", limit, 1);
        return queries.run("reading attempts", t -> {
            long id = t.first(FIND, Map.of("name", subscription), row -> row.getLong(1))
                    .orElseThrow(() -> EventStatuses.unknown(subscription));
            Map<String, Object> values = new HashMap<>();
            Place from = after == null ? BEGINNING : after;
            values.put("at", from.startedAt());
            values.put("seq", from.seq());
            values.put("number", from.number());
            values.put("walked", MOST_WALKED);
            Map<String, Object> all = new HashMap<>(values);
            all.put("subscription", id);
            all.put("any", outcomes.isEmpty());
            all.put("outcomes", outcomes.toArray(String[]::new));
            all.put("limit", limit + 1);
            List<Tried> found = t.walkingIndexes().list(PAGE, all, RecentAttempts::tried);
            if (found.size() > limit) {
                return new Page(found.subList(0, limit), found.get(limit - 1).place());
            }
            return new Page(found, t.first(END, values, RecentAttempts::place).orElse(null));
        });
    }

    private static Place place(ResultSet row) throws SQLException {
        return new Place(Queries.time(row, "started_at"), row.getLong("seq"), row.getInt("number"));
    }

    private static Tried tried(ResultSet row) throws SQLException {
        return new Tried(
                place(row),
                row.getObject("event_id", UUID.class),
                row.getString("type"),
                row.getString("key"),
                Duration.ofMillis(row.getLong("took_ms")),
                row.getString("outcome"),
                row.getString("error_class"),
                row.getString("message"),
                row.getObject("reply_code", Integer.class),
                row.getString("instance"));
    }
}
