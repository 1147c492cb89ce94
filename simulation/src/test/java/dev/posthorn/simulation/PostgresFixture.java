package dev.posthorn.simulation;

import dev.posthorn.Outbox;
import dev.posthorn.audit.Actor;
import dev.posthorn.event.Event;
import dev.posthorn.log.EventLog;
import dev.posthorn.log.LaneScope;
import dev.posthorn.log.Mark;
import dev.posthorn.log.PostgresLog;
import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import dev.posthorn.log.Session;
import dev.posthorn.log.Snapshot;
import dev.posthorn.relay.Subscriptions;
import dev.posthorn.relay.postgres.PostgresFrontStore;
import dev.posthorn.relay.postgres.PostgresLaneStore;
import dev.posthorn.relay.postgres.PostgresLeaseStore;
import dev.posthorn.relay.store.Command;
import dev.posthorn.relay.store.FrontStore;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.LaneStore;
import dev.posthorn.relay.store.LeaseStore;
import dev.posthorn.testing.SettableClock;
import dev.posthorn.testkit.DatabaseServer;
import dev.posthorn.testkit.FreshDatabase;
import dev.posthorn.testkit.TemplateDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import javax.sql.DataSource;

final class PostgresFixture implements StoreFixture {

    private static final String COMMAND = """
            INSERT INTO posthorn.command (subscription_id, kind, key, event_id, seq, due_at, requested_by, reason)
            SELECT %d, '%s', key, id, seq, CASE WHEN '%s' = 'DEFER' THEN timestamptz '%s' END, 'operator', 'because'
              FROM posthorn.event WHERE seq = %d
            """;

    private static final String REPLAY = """
            INSERT INTO posthorn.replay (selection, requested, requested_by, rate_per_second, canary, trying,
                                         canary_goes_on, stop_at_failure_rate)
            VALUES ('{}', %d, 'operator', nullif(%f, 0), nullif(%d, 0), %b, %b, %f) RETURNING id
            """;

    private static final String ITEMS = """
            INSERT INTO posthorn.replay_item
                   (replay_id, subscription_id, seq, event_id, key_hash, dead_letter_id, canary, state)
            SELECT %1$d, %2$d, e.seq, e.id, posthorn.key_hash(e.key, e.id),
                   (SELECT l.id FROM posthorn.dead_letter l WHERE l.subscription_id = %2$d AND l.seq = e.seq),
                   i.number <= %3$d, 'PENDING'
              FROM unnest('{%4$s}'::bigint[]) WITH ORDINALITY AS i (seq, number) JOIN posthorn.event e ON e.seq = i.seq;
            INSERT INTO posthorn.replay_subscription VALUES (%1$d, %2$d, 'test', %5$d)
            """;

    private static final String RECEIPTS = """
            SELECT count FROM (
                   SELECT lane_id, count, settled_at FROM posthorn.receipt
                   UNION ALL
                   SELECT told.lane_id, told.count, settled_at
                     FROM posthorn.front_receipt CROSS JOIN LATERAL unnest(lanes, counts) AS told (lane_id, count)) r
             WHERE lane_id = %d ORDER BY settled_at
            """;

    private static final String REFUSE = """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no' USING ERRCODE = '22000'; END $$;
            CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON posthorn.delivery
                FOR EACH ROW WHEN (NEW.seq = %d) EXECUTE FUNCTION refuse()
            """;

    private static final String GO_ON =
            "UPDATE posthorn.replay SET state = 'RUNNING', state_reason = NULL, trying = false WHERE id = ";

    private static final String CANCEL = """
            UPDATE posthorn.replay SET state = 'CANCELLED', ended_at = posthorn.clock() WHERE id = %1$d;
            UPDATE posthorn.replay_item SET state = 'SKIPPED', reason = 'cancelled', ended_at = posthorn.clock()
             WHERE replay_id = %1$d AND state = 'PENDING'
            """;

    private static final String ACCOUNTS = """
            SELECT state || ' ' || requested || ' = '
                   || (SELECT coalesce(sum(count), 0) FROM posthorn.replay_delivered WHERE replay_id = r.id)
                   || (SELECT coalesce(string_agg(', ' || concat_ws(' ', state, reason), '' ORDER BY state, reason), '')
                         FROM posthorn.replay_item WHERE replay_id = r.id)
              FROM posthorn.replay r WHERE id = %d
            """;

    /** Most of a contract's time would go into installing the schema. */
    private static final class InstalledDatabase extends FreshDatabase {

        private static final TemplateDatabase INSTALLED =
                new TemplateDatabase(dataSource -> new Schema(SchemaName.DEFAULT).install(dataSource));

        InstalledDatabase(DatabaseServer server) {
            super(server, INSTALLED.on(server));
        }
    }

    private final FreshDatabase database = new InstalledDatabase(DatabaseServer.newest());
    private final DataSource dataSource = database.dataSource();
    private final SettableClock clock;
    private final Session session;
    private final Outbox outbox = Outbox.create();
    private final List<Connection> transactions = new ArrayList<>();

    PostgresFixture() {
        clock = SettableClock.at(START, dataSource, SchemaName.DEFAULT);
        session = new Session(dataSource, SchemaName.DEFAULT);
    }

    @Override
    public int begin() {
        try {
            Connection connection = database.transaction();
            transactions.add(connection);
            value(connection, "SELECT pg_current_xact_id()::text");
            return transactions.size() - 1;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public long insert(int transaction, Event event) {
        Connection connection = transactions.get(transaction);
        outbox.record(connection, event);
        return Long.parseLong(value(connection, "SELECT seq FROM posthorn.event WHERE id = '" + event.id() + "'"));
    }

    @Override
    public void commit(int transaction) {
        try (Connection connection = transactions.get(transaction)) {
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void rollback(int transaction) {
        try (Connection connection = transactions.get(transaction)) {
            connection.rollback();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public EventLog log(LaneScope scope) {
        return new PostgresLog(session, scope);
    }

    @Override
    public LeaseStore leases(String instance) {
        return new PostgresLeaseStore(session, instance);
    }

    @Override
    public LaneStore lane(LaneGrant grant) {
        return new PostgresLaneStore(session, grant, "contract");
    }

    @Override
    public FrontStore fronts() {
        return new PostgresFrontStore(session.bound());
    }

    @Override
    public Mark standing(long lane) {
        return database.query(
                        "SELECT a, b, seq FROM posthorn.lane_effective WHERE lane_id = " + lane,
                        row -> new Mark(
                                new Snapshot(row.getString("a")), new Snapshot(row.getString("b")), row.getLong("seq")))
                .get(0);
    }

    @Override
    public List<Long> receipts(long lane) {
        return database.query(RECEIPTS.formatted(lane), row -> row.getLong(1));
    }

    /** How many rows of fronts there are. */
    long frontRows() {
        return database.number("SELECT count(*) FROM posthorn.front");
    }

    /** As by a move that is under way, until the transaction ends. */
    void lockFronts(int transaction) {
        value(transactions.get(transaction), "SELECT count(*) FROM (SELECT FROM posthorn.front FOR UPDATE) locked");
    }

    @Override
    public void command(long subscriptionId, Command.Kind kind, long seq) {
        database.execute(COMMAND.formatted(subscriptionId, kind, kind, START, seq));
    }

    @Override
    public long replay(long subscriptionId, Plan plan, List<Long> seqs) {
        String made = REPLAY.formatted(
                seqs.size(),
                plan.ratePerSecond(),
                plan.canary(),
                plan.canary() > 0,
                plan.goesOn(),
                plan.stopAtFailureRate());
        long id = database.number(made);
        String all = seqs.stream().map(String::valueOf).collect(Collectors.joining(","));
        database.execute(ITEMS.formatted(id, subscriptionId, plan.canary(), all, seqs.size()));
        return id;
    }

    @Override
    public void goOn(long replayId) {
        database.execute(GO_ON + replayId);
    }

    @Override
    public void cancel(long replayId) {
        database.execute(CANCEL.formatted(replayId));
    }

    @Override
    public String accounts(long replayId) {
        return database.value(ACCOUNTS.formatted(replayId));
    }

    @Override
    public void pause(String subscription, boolean paused) {
        Subscriptions subscriptions = new Subscriptions(dataSource, SchemaName.DEFAULT);
        if (paused) {
            subscriptions.pause(subscription, null, Actor.named("ops"));
        } else {
            subscriptions.resume(subscription, null, Actor.named("ops"));
        }
    }

    @Override
    public void pause(int transaction, String subscription, boolean paused) {
        try (Statement statement = transactions.get(transaction).createStatement()) {
            statement.execute(
                    "UPDATE posthorn.subscription SET paused = " + paused + " WHERE name = '" + subscription + "'");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public boolean isQuiet(String subscription) {
        return new Subscriptions(dataSource, SchemaName.DEFAULT).isQuiet(subscription);
    }

    @Override
    public void advance(Duration time) {
        clock.advance(time);
    }

    @Override
    public void refuse(long seq) {
        database.execute(REFUSE.formatted(seq));
    }

    @Override
    public long attempts(long seq) {
        return database.number("SELECT count(*) FROM posthorn.attempt WHERE seq = " + seq);
    }

    private static String value(Connection connection, String sql) {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        session.close();
        for (Connection connection : transactions) {
            try {
                connection.close();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
