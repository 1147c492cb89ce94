package dev.posthorn.relay;

import dev.posthorn.audit.Act;
import dev.posthorn.audit.Actor;
import dev.posthorn.audit.Audit;
import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.error.Requests;
import dev.posthorn.log.DirectConnections;
import dev.posthorn.log.Filter;
import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import dev.posthorn.log.Session;
import dev.posthorn.relay.postgres.Generations;
import dev.posthorn.relay.postgres.PostgresLeaseStore;
import dev.posthorn.relay.postgres.Registration;
import dev.posthorn.relay.store.LeaseStore;
import dev.posthorn.subscription.Subscription;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions as they are stored, for whoever runs them. Running instances notice a change at their next look,
 * within a second. Whatever is done to one is in the audit, by the transaction that does it.
 */
public final class Subscriptions {

    private static final String LIST = """
            SELECT s.name, s.generation, s.paused, s.pause_reason, g.lanes, {filter},
                   w.lanes AS wanted_lanes, {wanted_filter}
              FROM posthorn.subscription s
              JOIN posthorn.generation g ON g.subscription_id = s.id AND g.number = s.generation
              LEFT JOIN posthorn.generation w ON w.subscription_id = s.id AND w.number = s.generation + 1
             ORDER BY s.name
            """.replace("{filter}", Generations.filterColumns("g", ""))
            .replace("{wanted_filter}", Generations.filterColumns("w", "wanted_"));

    private static final String LOCK =
            "SELECT paused, pause_reason FROM posthorn.subscription WHERE name = :name FOR NO KEY UPDATE";

    private static final String PAUSE =
            "UPDATE posthorn.subscription SET paused = :paused, pause_reason = NULL WHERE name = :name";

    /** Whether every process that serves the subscription s obeys what was last said of its pause. */
    public static final String OBEYED = """
            NOT EXISTS (SELECT FROM posthorn.served v JOIN posthorn.session o ON o.id = v.session_id
                         WHERE v.subscription_id = s.id AND o.expires_at > posthorn.clock()
                           AND NOT pg_visible_in_snapshot(s.paused_txid, o.obeys))""";

    private static final String IS_QUIET = """
            SELECT s.paused AND {obeyed} FROM posthorn.subscription s WHERE s.name = :name
            """.replace("{obeyed}", OBEYED);

    /** Whatever the data source says. */
    private static final String BEGIN = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

    private static final long LOOK_NANOS = 20_000_000;

    private final DataSource dataSource;
    private final DirectConnections direct;
    private final Queries queries;
    private final SchemaName schema;

    /**
     * A subscription as it is stored.
     *
     * @param generation counted from 1: how often its filter or its number of lanes has changed
     * @param pauseReason why it was paused, if the receiver asked for it
     * @param wanted the change that is pending, if one is
     */
    public record Stored(
            String name,
            int generation,
            int lanes,
            Filter filter,
            boolean paused,
            @Nullable String pauseReason,
            @Nullable Wanted wanted) {}

    /** What a subscription is to change to as soon as all its lanes have come to one snapshot. */
    public record Wanted(int lanes, Filter filter) {}

    public Subscriptions(DataSource dataSource, SchemaName schema) {
        this.dataSource = dataSource;
        this.direct = new DirectConnections(dataSource);
        this.queries = new Queries(dataSource, schema);
        this.schema = schema;
    }

    /**
     * Stores it before any instance serves it: one that starts now gets what is committed after this call returns. Of one
     * that is stored already, another filter or number of lanes is asked for, as by an instance that starts with it: in
     * place of what was asked for before and has not begun, unless that was a newer revision.
     */
    public void register(Subscription subscription) {
        register(List.of(subscription));
    }

    /** The same of many, by a handful of statements. If the database refuses one, the others are stored all the same. */
    public void register(List<Subscription> subscriptions) {
        direct.require();
        try (Session session = new Session(dataSource, schema)) {
            LeaseStore store = new PostgresLeaseStore(session, "");
            store.begin();
            LeaseStore.Registered registered = store.register(subscriptions);
            Map<Long, Subscription> wishes = new LinkedHashMap<>();
            for (Subscription subscription : subscriptions) {
                Long id = registered.ids().get(subscription.name());
                if (id != null) {
                    wishes.put(id, subscription);
                }
            }
            List<PosthornException> refused = new ArrayList<>(registered.refused());
            refused.addAll(store.request(wishes));
            if (!refused.isEmpty()) {
                throw refused.get(0);
            }
            if (wishes.size() < subscriptions.size()) {
                throw new PosthornException(
                        ErrorCode.CONFLICT, "a subscription was deleted while it was registered; try again");
            }
        }
    }

    /**
     * The same of many, in the transaction of somebody who keeps them elsewhere too, which must be READ COMMITTED: they are
     * in both places or in none.
     */
    public static void register(Queries.Transaction transaction, List<Subscription> subscriptions) throws SQLException {
        Registration.register(transaction, subscriptions);
    }

    /** All of them, by name. */
    public List<Stored> list() {
        return queries.run(
                "listing subscriptions", transaction -> transaction.list(LIST, Map.of(), Subscriptions::stored));
    }

    private static Stored stored(ResultSet row) throws SQLException {
        int wantedLanes = row.getInt("wanted_lanes");
        return new Stored(
                row.getString("name"),
                row.getInt("generation"),
                row.getInt("lanes"),
                Generations.filter(row, ""),
                row.getBoolean("paused"),
                row.getString("pause_reason"),
                wantedLanes == 0 ? null : new Wanted(wantedLanes, Generations.filter(row, "wanted_")));
    }

    /**
     * Nothing of it is read or sent as soon as each instance has seen that, within a second; what was sent is settled as
     * it is answered. Its events wait in the log, and keep retention from dropping them. A change of its filter or lanes
     * stays pending until it is resumed. Does nothing if it is paused already.
     */
    public void pause(String name, @Nullable String reason, Actor by) {
        setPaused(name, true, reason, by);
    }

    /**
     * The same, and waits until no instance sends any more and nothing is on its way. An instance that is gone counts
     * until its session has ended. False if it takes longer: it is being paused all the same.
     */
    public boolean pause(String name, @Nullable String reason, Actor by, Duration patience) {
        pause(name, reason, by);
        long giveUpAt = System.nanoTime() + patience.toNanos();
        boolean quiet = isQuiet(name);
        while (!quiet
                && System.nanoTime() - giveUpAt < 0
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(LOOK_NANOS);
            quiet = isQuiet(name);
        }
        return quiet;
    }

    /** Whether it is paused and every instance obeys: nothing is on its way, and nothing is sent until it is resumed. */
    public boolean isQuiet(String name) {
        Optional<Boolean> quiet = queries.run(
                "looking whether " + name + " is quiet",
                transaction -> transaction.first(IS_QUIET, Map.of("name", name), row -> row.getBoolean(1)));
        requireFound(name, quiet.isPresent());
        return quiet.orElse(false);
    }

    /** It goes on where it was paused. Does nothing if it was not. */
    public void resume(String name, @Nullable String reason, Actor by) {
        setPaused(name, false, reason, by);
    }

    private void setPaused(String name, boolean paused, @Nullable String reason, Actor by) {
        Act act = act(paused ? "pause" : "resume", name, reason);
        boolean found = queries.run((paused ? "pausing " : "resuming ") + name, transaction -> {
            Optional<Boolean> differs = setPaused(transaction, name, paused);
            if (differs.orElse(false)) {
                Audit.write(transaction, by, act);
            }
            return differs.isPresent();
        });
        requireFound(name, found);
    }

    private static Act act(String verb, String name, @Nullable String reason) {
        String why = Requests.optional("reason", reason, Requests.MAX_TEXT);
        return new Act("subscription." + verb, "subscription/" + name, Map.of(), null, why);
    }

    /**
     * The same in the transaction of somebody who writes it down. Tells whether that changed anything; nothing if there is
     * none of that name.
     */
    public static Optional<Boolean> setPaused(Queries.Transaction transaction, String name, boolean paused)
            throws SQLException {
        Map<String, Object> values = Map.of("name", name, "paused", paused);
        Optional<Boolean> differs = transaction.first(
                LOCK, values, now -> now.getBoolean("paused") != paused || now.getString("pause_reason") != null);
        if (differs.orElse(false)) {
            transaction.update(PAUSE, values);
        }
        return differs;
    }

    /**
     * Deletes it with its marks, its waiting events and its dead letters. What it had delivered is still told of its events.
     * Refused while an instance serves it, which would only make it anew. The name may be used again.
     */
    public void delete(String name, @Nullable String reason, Actor by) {
        Act act = act("delete", name, reason);
        boolean found = queries.run("deleting " + name, transaction -> {
            transaction.update(BEGIN, Map.of());
            boolean deleted = delete(transaction, name);
            if (deleted) {
                Audit.write(transaction, by, act);
            }
            return deleted;
        });
        requireFound(name, found);
    }

    /**
     * The same in the transaction of somebody who writes it down, which must be READ COMMITTED, so that a wait for a
     * running settle ends in seeing what it did. False if there is none of that name.
     */
    public static boolean delete(Queries.Transaction transaction, String name) throws SQLException {
        return Removal.remove(transaction, name);
    }

    private void requireFound(String name, boolean found) {
        if (!found) {
            throw new PosthornException(
                    ErrorCode.NOT_FOUND, "there is no subscription named '" + name + "' in schema " + schema);
        }
    }
}
