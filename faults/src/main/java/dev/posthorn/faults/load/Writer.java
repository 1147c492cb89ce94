package dev.posthorn.faults.load;

import dev.posthorn.Outbox;
import dev.posthorn.event.Event;
import dev.posthorn.faults.harness.Change;
import dev.posthorn.faults.harness.Database;
import dev.posthorn.faults.harness.Tally;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** One connection that changes aggregates and records an event for every change. */
final class Writer implements AutoCloseable {

    /** How many aggregates are hot, where some are to be, so that transactions meet on them. */
    private static final int HOT = 6;

    private final Connection connection;
    private final List<UUID> written = new ArrayList<>();
    private Outbox outbox = Outbox.create();
    private Consumer<List<UUID>> acknowledged = ids -> {};
    private final RandomGenerator random;
    private final int aggregates;
    private final boolean someHot;
    private final PreparedTransactions prepared;
    private final Tally tally;

    /** @param aggregates the number it chooses from; the last one of the table belongs to the writer that stays open */
    Writer(
            Database database,
            RandomGenerator random,
            int aggregates,
            boolean someHot,
            PreparedTransactions prepared,
            Tally tally)
            throws SQLException {
        this.connection = database.dataSource().getConnection();
        connection.setAutoCommit(false);
        this.random = random;
        this.aggregates = aggregates;
        this.someHot = someHot;
        this.prepared = prepared;
        this.tally = tally;
    }

    /** Its commits do not wait for the disk. */
    Writer withoutWaiting() throws SQLException {
        outbox = Outbox.builder().commitDurably(false).build();
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET synchronous_commit = off");
        }
        connection.commit();
        return this;
    }

    /** Tells the events of every commit that it got an answer to. */
    Writer telling(Consumer<List<UUID>> acknowledged) {
        this.acknowledged = acknowledged;
        return this;
    }

    void make(Move move) throws SQLException, InterruptedException {
        switch (move) {
            case PLAIN -> change(anyAggregate(), 1);
            case BATCH -> change(anyAggregate(), 2 + random.nextInt(6));
            case TWO_AGGREGATES -> changeTwo();
            case ROLLBACK -> change(anyAggregate(), 1 + random.nextInt(2));
            case SAVEPOINT -> changeWithSavepoint();
            case PREPARED -> change(anyAggregate(), 1);
            case EARLY_XID -> changeLate();
        }
        linger();
        end(move);
        tally.count(move.name().toLowerCase(Locale.ROOT));
    }

    private void end(Move move) throws SQLException {
        switch (move) {
            case ROLLBACK -> connection.rollback();
            case PREPARED -> prepared.prepare(connection);
            default -> commit();
        }
        written.clear();
    }

    private void commit() throws SQLException {
        connection.commit();
        acknowledged.accept(List.copyOf(written));
        written.clear();
    }

    /** Records early, stays open, and now and then ends with more events than any reader's batch. */
    void stayOpen(int aggregate, long millis, int lastEvents) throws SQLException, InterruptedException {
        change(aggregate, 1);
        TimeUnit.MILLISECONDS.sleep(millis);
        change(aggregate, lastEvents);
        commit();
        tally.count("stayed open");
    }

    private void changeTwo() throws SQLException {
        int one = anyAggregate();
        int other = anyAggregate();
        change(Math.min(one, other), 1);
        if (one != other) {
            change(Math.max(one, other), 1);
        }
    }

    private void changeWithSavepoint() throws SQLException {
        int aggregate = anyAggregate();
        change(aggregate, 1);
        Savepoint savepoint = connection.setSavepoint();
        int kept = written.size();
        change(aggregate, 1);
        connection.rollback(savepoint);
        written.subList(kept, written.size()).clear();
        Savepoint released = connection.setSavepoint();
        change(aggregate, 1);
        connection.releaseSavepoint(released);
    }

    private void changeLate() throws SQLException, InterruptedException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_current_xact_id()");
        }
        TimeUnit.MILLISECONDS.sleep(random.nextInt(4) == 0 ? random.nextInt(300) : random.nextInt(30));
        change(anyAggregate(), 1);
    }

    private void change(int aggregate, int times) throws SQLException {
        long counter = lock(aggregate);
        List<Event> events = new ArrayList<>();
        for (int i = 1; i <= times; i++) {
            events.add(Change.event(aggregate, counter + i));
        }
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE aggregate SET counter = counter + ? WHERE id = ?")) {
            update.setInt(1, times);
            update.setInt(2, aggregate);
            update.executeUpdate();
        }
        if (times == 1) {
            outbox.record(connection, events.get(0));
        } else {
            outbox.record(connection, events);
        }
        events.forEach(event -> written.add(event.id()));
    }

    private long lock(int aggregate) throws SQLException {
        try (PreparedStatement lock =
                connection.prepareStatement("SELECT counter FROM aggregate WHERE id = ? FOR UPDATE")) {
            lock.setInt(1, aggregate);
            try (ResultSet row = lock.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    private int anyAggregate() {
        return someHot && random.nextInt(3) == 0 ? random.nextInt(HOT) : random.nextInt(aggregates);
    }

    /** Time between the record and the commit, in which other transactions pass. */
    private void linger() throws InterruptedException {
        if (random.nextInt(3) == 0) {
            TimeUnit.MILLISECONDS.sleep(random.nextInt(10));
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
