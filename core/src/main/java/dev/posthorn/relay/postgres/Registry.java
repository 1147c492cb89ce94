package dev.posthorn.relay.postgres;

import dev.posthorn.error.PosthornException;
import dev.posthorn.log.Session;
import dev.posthorn.relay.store.LeaseStore.Registered;
import dev.posthorn.subscription.Subscription;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Finds, makes and asks for subscriptions, many at a time: those that are there and as they are wanted cost two
 * statements, however many they are.
 */
final class Registry {

    /** How many are made or asked for in one transaction. */
    private static final int BATCH = 500;

    private static final String STANDS = """
            SELECT s.id, s.revision, s.max_attempts::bigint AS max_attempts, g.filter_known, g.lanes, {filter},
                   w.lanes AS wanted_lanes, {wanted_filter}
              FROM posthorn.subscription s
              JOIN posthorn.generation g ON g.subscription_id = s.id AND g.number = s.generation
              LEFT JOIN posthorn.generation w ON w.subscription_id = s.id AND w.number = s.generation + 1
             WHERE s.id = ANY (:subscriptions::bigint[])
            """.replace("{filter}", Generations.filterColumns("g", ""))
            .replace("{wanted_filter}", Generations.filterColumns("w", "wanted_"));

    private final Session session;
    private final Statements statements;
    private final Generations generations;
    private final Registration registration;

    Registry(Session session, Statements statements, Generations generations) {
        this.session = session;
        this.statements = statements;
        this.generations = generations;
        this.registration = new Registration(statements, generations);
    }

    Registered register(List<Subscription> subscriptions, boolean makes) {
        Map<String, Subscription> missing = new LinkedHashMap<>();
        subscriptions.forEach(subscription -> missing.put(subscription.name(), subscription));
        Map<String, Long> ids = new HashMap<>(find(missing.keySet()));
        missing.keySet().removeAll(ids.keySet());
        List<PosthornException> refused = new ArrayList<>();
        if (makes && !missing.isEmpty()) {
            for (List<Subscription> batch : batches(List.copyOf(missing.values()))) {
                ids.putAll(make(batch, refused));
            }
            missing.keySet().removeAll(ids.keySet());
            // Somebody else has made them meanwhile.
            ids.putAll(missing.isEmpty() ? Map.of() : find(missing.keySet()));
        }
        return new Registered(ids, refused);
    }

    private Map<String, Long> find(Collection<String> names) {
        return session.transaction("looking for subscriptions", connection -> registration.find(connection, names));
    }

    /** All together, or if the database refuses one of them, each by itself. */
    private Map<String, Long> make(List<Subscription> batch, List<PosthornException> refused) {
        return session.transaction("registering subscriptions", connection -> {
            Map<String, Long> made = new HashMap<>();
            if (!make(connection, batch, made, new ArrayList<>())) {
                for (Subscription each : batch) {
                    make(connection, List.of(each), made, refused);
                }
            }
            return made;
        });
    }

    private boolean make(
            Connection connection, List<Subscription> batch, Map<String, Long> made, List<PosthornException> refused)
            throws SQLException {
        Map<String, Long> now = new HashMap<>();
        boolean done = statements.attempt(
                connection,
                "registering " + batch.get(0).name(),
                () -> now.putAll(registration.make(connection, batch)),
                refused);
        if (done) {
            made.putAll(now);
        }
        return done;
    }

    /**
     * Only of those that are not as wanted. Who finds one as it wants it has nothing to ask for, as if it had asked at
     * that moment.
     */
    List<PosthornException> request(Map<Long, Subscription> wishes) {
        List<Long> differing = session.query(
                "looking how subscriptions stand",
                statements.sql(STANDS),
                Map.of("subscriptions", wishes.keySet().toArray(Long[]::new)),
                rows -> {
                    List<Long> ids = new ArrayList<>();
                    while (rows.next()) {
                        Subscription wanted = wishes.get(rows.getLong("id"));
                        if (wanted != null && differs(rows, wanted)) {
                            ids.add(rows.getLong("id"));
                        }
                    }
                    return ids;
                });
        List<PosthornException> refused = new ArrayList<>();
        for (List<Long> batch : batches(differing)) {
            session.transaction("asking for other generations", connection -> {
                for (long id : batch) {
                    Subscription wanted = Objects.requireNonNull(wishes.get(id));
                    statements.attempt(
                            connection,
                            "asking for another generation of " + wanted.name(),
                            () -> generations.request(connection, id, wanted),
                            refused);
                }
                return true;
            });
        }
        return refused;
    }

    private static boolean differs(ResultSet row, Subscription wanted) throws SQLException {
        if (row.getLong("revision") > wanted.revision()) {
            return false;
        }
        String newest = row.getInt("wanted_lanes") == 0 ? "" : "wanted_";
        return row.getLong("revision") < wanted.revision()
                || !Objects.equals(row.getObject("max_attempts", Long.class), Registration.maxAttempts(wanted))
                || !row.getBoolean("filter_known")
                || row.getInt(newest + "lanes") != wanted.lanes()
                || !Generations.filter(row, newest).equals(wanted.filter().asStored());
    }

    private static <T> List<List<T>> batches(List<T> all) {
        List<List<T>> batches = new ArrayList<>();
        for (int from = 0; from < all.size(); from += BATCH) {
            batches.add(all.subList(from, Math.min(all.size(), from + BATCH)));
        }
        return batches;
    }
}
