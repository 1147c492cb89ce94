package dev.posthorn.relay.postgres;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.log.Queries;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.subscription.Subscription;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Puts subscriptions into the relay's tables in the transaction of somebody who keeps them elsewhere too, so that they are
 * in both places or in none.
 */
public final class Registration {

    /** A snapshot of another cluster means nothing beside the marks that came from there. */
    private static final String IS_ELSEWHERE = "SELECT posthorn.is_elsewhere()";

    /** In one order, so that two who make the same ones wait for each other instead of both for ever. */
    private static final String MAKE = """
            INSERT INTO posthorn.subscription (name, revision, max_attempts)
            SELECT * FROM unnest(:names::text[], :revisions::bigint[], :max_attempts::bigint[])
                       AS asked (name, revision, max_attempts)
             ORDER BY name
                ON CONFLICT (name) DO NOTHING RETURNING id, name
            """;

    private static final String FIND = "SELECT name, id FROM posthorn.subscription WHERE name = ANY (:names::text[])";

    private final Statements statements;
    private final Generations generations;

    Registration(Statements statements, Generations generations) {
        this.statements = statements;
        this.generations = generations;
    }

    /**
     * Those that are not there are made; of the others what has changed is asked for. The transaction must be READ
     * COMMITTED: a wish is compared with what is there once nobody takes a step any more.
     */
    public static void register(Queries.Transaction transaction, List<Subscription> subscriptions) throws SQLException {
        Statements statements = Statements.ofTransaction(transaction.schema());
        Registration registration = new Registration(statements, new Generations(statements));
        transaction.run(connection -> registration.register(connection, subscriptions));
    }

    /** How many of them were made. */
    private int register(Connection connection, List<Subscription> subscriptions) throws SQLException {
        if (statements.isTrue(connection, IS_ELSEWHERE, Map.of())) {
            throw new PosthornException(
                    ErrorCode.CLUSTER_CHANGED,
                    "the marks were made on another cluster; run Rebase once before anything is subscribed here");
        }
        Map<String, Subscription> others = new LinkedHashMap<>();
        subscriptions.forEach(subscription -> others.put(subscription.name(), subscription));
        Set<String> made = make(connection, subscriptions).keySet();
        others.keySet().removeAll(made);
        Map<String, Long> ids = others.isEmpty() ? Map.of() : find(connection, others.keySet());
        for (Subscription wanted : others.values()) {
            Long id = ids.get(wanted.name());
            if (id == null) {
                throw new SQLException("subscription " + wanted.name() + " was deleted just now");
            }
            generations.request(connection, id, wanted);
        }
        return made.size();
    }

    /** The ids of those that were not there, each with its first generation. */
    Map<String, Long> make(Connection connection, List<Subscription> subscriptions) throws SQLException {
        Map<String, Object> values = Map.of(
                "names", all(subscriptions, Subscription::name).toArray(String[]::new),
                "revisions", all(subscriptions, Subscription::revision).toArray(Long[]::new),
                "max_attempts",
                        subscriptions.stream().map(Registration::maxAttempts).toArray(Long[]::new));
        Map<String, Long> made = statements.query(connection, MAKE, values, Registration::byName);
        Map<Long, Subscription> byId = new LinkedHashMap<>();
        for (Subscription each : subscriptions) {
            Long id = made.get(each.name());
            if (id != null) {
                byId.put(id, each);
            }
        }
        generations.makeFirst(connection, byId);
        return made;
    }

    Map<String, Long> find(Connection connection, Collection<String> names) throws SQLException {
        return statements.query(connection, FIND, Map.of("names", names.toArray(String[]::new)), Registration::byName);
    }

    private static Map<String, Long> byName(ResultSet rows) throws SQLException {
        Map<String, Long> ids = new HashMap<>();
        while (rows.next()) {
            ids.put(rows.getString("name"), rows.getLong("id"));
        }
        return ids;
    }

    private static <T> List<T> all(List<Subscription> subscriptions, Function<Subscription, T> part) {
        return subscriptions.stream().map(part).collect(Collectors.toList());
    }

    /** As it is stored: none if there may be any number. */
    static @Nullable Long maxAttempts(Subscription subscription) {
        int most = subscription.retry().maxAttempts();
        return most == RetryPolicy.UNLIMITED ? null : (long) most;
    }
}
