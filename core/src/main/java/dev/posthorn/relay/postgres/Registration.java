package dev.posthorn.relay.postgres;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.log.Queries;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.subscription.Subscription;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

    private static final String FIND = "SELECT id FROM posthorn.subscription WHERE name = :name";

    private final Connection connection;
    private final Statements statements;
    private final Generations generations;

    private Registration(Connection connection, Statements statements) {
        this.connection = connection;
        this.statements = statements;
        this.generations = new Generations(statements);
    }

    /**
     * Those that are not there are made; of the others what has changed is asked for. The transaction must be READ
     * COMMITTED: a wish is compared with what is there once nobody takes a step any more.
     */
    public static void register(Queries.Transaction transaction, List<Subscription> subscriptions) throws SQLException {
        transaction.run(connection ->
                new Registration(connection, Statements.ofTransaction(transaction.schema())).register(subscriptions));
    }

    /** How many of them were made. */
    private int register(List<Subscription> subscriptions) throws SQLException {
        if (statements.isTrue(connection, IS_ELSEWHERE, Map.of())) {
            throw new PosthornException(
                    ErrorCode.CLUSTER_CHANGED,
                    "the marks were made on another cluster; run Rebase once before anything is subscribed here");
        }
        Map<String, Long> made = make(subscriptions);
        for (Subscription subscription : subscriptions) {
            Long id = made.get(subscription.name());
            if (id != null) {
                generations.makeFirst(connection, id, subscription);
            } else {
                generations.request(connection, find(subscription.name()), subscription);
            }
        }
        return made.size();
    }

    private Map<String, Long> make(List<Subscription> subscriptions) throws SQLException {
        Map<String, Object> values = Map.of(
                "names", all(subscriptions, Subscription::name).toArray(String[]::new),
                "revisions", all(subscriptions, Subscription::revision).toArray(Long[]::new),
                "max_attempts",
                        subscriptions.stream()
                                .map(each -> maxAttempts(each.retry()))
                                .toArray(Long[]::new));
        return statements.query(connection, MAKE, values, rows -> {
            Map<String, Long> made = new HashMap<>();
            while (rows.next()) {
                made.put(rows.getString("name"), rows.getLong("id"));
            }
            return made;
        });
    }

    private static <T> List<T> all(List<Subscription> subscriptions, Function<Subscription, T> part) {
        return subscriptions.stream().map(part).collect(Collectors.toList());
    }

    private static @Nullable Long maxAttempts(RetryPolicy retry) {
        return retry.maxAttempts() == RetryPolicy.UNLIMITED ? null : (long) retry.maxAttempts();
    }

    private long find(String name) throws SQLException {
        Long found = statements.number(connection, FIND, Map.of("name", name));
        if (found == null) {
            throw new SQLException("subscription " + name + " was deleted just now");
        }
        return found;
    }
}
