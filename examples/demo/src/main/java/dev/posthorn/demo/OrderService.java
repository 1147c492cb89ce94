package dev.posthorn.demo;

import dev.posthorn.Outbox;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * A sample application: its customers place orders, pay for them and have them shipped, and each change is recorded as
 * an event in the transaction that makes it.
 */
final class OrderService {

    private static final String CREATE = """
            CREATE TABLE IF NOT EXISTS customer_order (
                customer text   PRIMARY KEY,
                status   text   NOT NULL,
                change   bigint NOT NULL
            )""";

    /** The row stays locked until the commit, so the changes of one customer, and their events, follow one another. */
    private static final String CHANGE = """
            INSERT INTO customer_order AS o (customer, status, change) VALUES (?, 'placed', 1)
            ON CONFLICT (customer) DO UPDATE SET
                change = o.change + 1,
                status = CASE o.status WHEN 'placed' THEN 'paid' WHEN 'paid' THEN 'shipped' ELSE 'placed' END
            RETURNING status, change""";

    /** One in twenty transactions changes its mind after it has recorded its event. */
    private static final int ROLLBACK_ONE_IN = 20;

    private static final int EVENTS_PER_WRITER = 100;
    private static final int MOST_WRITERS = 16;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final DataSource database;
    private final Settings settings;
    private final String run;
    private final Ledger ledger;
    private final Consumer<String> trouble;
    private final Outbox outbox = Outbox.create();
    private final AtomicLong nextTurn = new AtomicLong();
    private final List<Thread> writers = new ArrayList<>();
    private volatile boolean stopping;

    private OrderService(DataSource database, Settings settings, String run, Ledger ledger, Consumer<String> trouble) {
        this.database = database;
        this.settings = settings;
        this.run = run;
        this.ledger = ledger;
        this.trouble = trouble;
    }

    static OrderService start(
            DataSource database, Settings settings, String run, Ledger ledger, Consumer<String> trouble) {
        var service = new OrderService(database, settings, run, ledger, trouble);
        service.start();
        return service;
    }

    private void start() {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(CREATE);
        } catch (SQLException e) {
            throw PosthornException.database("creating the table of orders", e);
        }
        nextTurn.set(System.nanoTime());
        int count = Math.min(MOST_WRITERS, 1 + settings.rate() / EVENTS_PER_WRITER);
        for (int i = 1; i <= count; i++) {
            var writer = new Thread(this::write, "order-service-" + i);
            writers.add(writer);
            writer.start();
        }
    }

    private void write() {
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            while (awaitTurn()) {
                while (!changeSomeOrder(connection)) {
                    ledger.rolledBack();
                }
            }
        } catch (SQLException | PosthornException e) {
            trouble.accept("the order service failed: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Turns are a fixed time apart, whoever takes them; after a standstill, no more than a second is caught up. */
    private boolean awaitTurn() throws InterruptedException {
        long interval = SECOND / settings.rate();
        long now = System.nanoTime();
        long turn = nextTurn.getAndUpdate(next -> Math.max(next, now - SECOND) + interval);
        while (!stopping && System.nanoTime() < turn) {
            TimeUnit.NANOSECONDS.sleep(Math.min(turn - System.nanoTime(), SECOND / 10));
        }
        return !stopping;
    }

    /** One transaction: the business change and its event, committed together or not at all. */
    private boolean changeSomeOrder(Connection connection) throws SQLException {
        var random = ThreadLocalRandom.current();
        OrderChange change = change(connection, "customer-" + (1 + random.nextInt(settings.keys())));
        UUID id = outbox.record(connection, event(change));
        if (random.nextInt(ROLLBACK_ONE_IN) == 0) {
            connection.rollback();
            return false;
        }
        connection.commit();
        ledger.recorded(id, System.nanoTime());
        return true;
    }

    private OrderChange change(Connection connection, String customer) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(CHANGE)) {
            statement.setString(1, customer);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return new OrderChange(run, customer, row.getString("status"), row.getLong("change"));
            }
        }
    }

    private static Event event(OrderChange change) {
        return Event.builder()
                .source("order-service")
                .type("order." + change.status())
                .aggregateType("order")
                .key(change.customer())
                .json(change.json())
                .build();
    }

    /** Takes no more orders and waits for the transactions under way. */
    void stop() throws InterruptedException {
        stopping = true;
        for (Thread writer : writers) {
            writer.join();
        }
    }
}
