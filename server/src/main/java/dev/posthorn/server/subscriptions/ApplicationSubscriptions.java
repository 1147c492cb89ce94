package dev.posthorn.server.subscriptions;

import dev.posthorn.audit.Actor;
import dev.posthorn.log.EventRow;
import dev.posthorn.log.Filter;
import dev.posthorn.log.Queries;
import dev.posthorn.relay.Subscriptions;
import dev.posthorn.server.subscriptions.definition.FilterDocument;
import dev.posthorn.server.subscriptions.definition.SubscriptionDocument;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Subscriptions that an application's own relay serves in the hub's database. There is no document of them: they are seen
 * here, paused and resumed, and changed where they are made.
 */
public final class ApplicationSubscriptions {

    private static final String ROWS =
            """
            SELECT s.name, s.created_at, s.paused, s.pause_reason, g.lanes, g.filter_known, g.types, g.aggregate_types,
                   g.sources, {headers} AS headers,
                   {obeyed} AS quiet,
                   EXISTS (SELECT FROM posthorn.generation w
                            WHERE w.subscription_id = s.id AND w.number = s.generation + 1) AS changing
              FROM posthorn.subscription s
              JOIN posthorn.generation g ON g.subscription_id = s.id AND g.number = s.generation
             WHERE NOT EXISTS (SELECT FROM posthorn.hub_subscription h WHERE h.name = s.name)
            """.replace("{headers}", EventRow.namesAndValues("g.headers")).replace("{obeyed}", Subscriptions.OBEYED);

    private static final String ONE = ROWS + " AND s.name = :name";

    /** Up to a name, because there may be few of them among many others, and a list needs no more. */
    private static final String PAGE =
            ROWS + " AND s.name > :after AND (:upto::text IS NULL OR s.name <= :upto) ORDER BY s.name LIMIT :limit";

    private static final String AMONG = """
            SELECT s.name FROM posthorn.subscription s
             WHERE NOT EXISTS (SELECT FROM posthorn.hub_subscription h WHERE h.name = s.name)
               AND s.name = ANY (:names)
            """;

    private final Queries queries;
    private final Subscriptions registered;

    ApplicationSubscriptions(Queries queries, Subscriptions registered) {
        this.queries = queries;
        this.registered = registered;
    }

    Optional<SubscriptionAnswer> find(String name) {
        return queries.run(
                "looking for subscription " + name,
                t -> t.first(ONE, Map.of("name", name), ApplicationSubscriptions::answer));
    }

    /**
     * Those whose names come after that one, so many at most.
     *
     * @param upTo the last name that is of interest; null: any
     */
    List<SubscriptionAnswer> page(String after, @Nullable String upTo, int limit) {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("after", after);
        values.put("upto", upTo);
        values.put("limit", limit);
        return queries.run("listing subscriptions", t -> t.list(PAGE, values, ApplicationSubscriptions::answer));
    }

    /** Those of these names that are theirs. */
    Set<String> among(Collection<String> names) {
        return among(queries, names);
    }

    /** The same, on whichever connections. */
    public static Set<String> among(Queries queries, Collection<String> names) {
        Map<String, Object> values = Map.of("names", names.toArray(String[]::new));
        return Set.copyOf(
                queries.run("looking for subscriptions", t -> t.list(AMONG, values, row -> row.getString("name"))));
    }

    void setPaused(String name, boolean paused, @Nullable String reason, Actor by) {
        if (paused) {
            registered.pause(name, reason, by);
        } else {
            registered.resume(name, reason, by);
        }
    }

    private static SubscriptionAnswer answer(ResultSet row) throws SQLException {
        return new SubscriptionAnswer(
                row.getString("name"),
                ServedBy.APPLICATION,
                null,
                Queries.time(row, "created_at"),
                null,
                row.getBoolean("paused"),
                row.getString("pause_reason"),
                state(row),
                null,
                null,
                SubscriptionDocument.known(filter(row), row.getInt("lanes")));
    }

    private static State state(ResultSet row) throws SQLException {
        if (row.getBoolean("paused")) {
            return row.getBoolean("quiet") ? State.PAUSED : State.PAUSING;
        }
        return row.getBoolean("changing") ? State.PENDING : State.ACTIVE;
    }

    private static @Nullable FilterDocument filter(ResultSet row) throws SQLException {
        if (!row.getBoolean("filter_known")) {
            return null;
        }
        Filter filter = Filter.ofLikePatterns(
                (String[]) row.getArray("types").getArray(),
                (String[]) row.getArray("aggregate_types").getArray(),
                (String[]) row.getArray("sources").getArray(),
                EventRow.headers(row.getArray("headers")));
        return FilterDocument.of(filter);
    }
}
