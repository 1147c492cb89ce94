package dev.posthorn.examples.plainjdbc;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.Outbox;
import dev.posthorn.event.Event;
import dev.posthorn.kafka.KafkaSink;
import dev.posthorn.kafka.consumer.InboxConsumer;
import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Relay;
import dev.posthorn.subscription.Subscription;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/** A shop that places orders and a billing that books each of them once, each with its own database, Kafka in between. */
public final class PlainJdbc implements AutoCloseable {

    private static final String TABLES = """
            CREATE TABLE IF NOT EXISTS placed_order (id text PRIMARY KEY, cents bigint NOT NULL);
            CREATE TABLE IF NOT EXISTS booking (order_id text NOT NULL, cents bigint NOT NULL)
            """;

    private final DataSource shop;
    private final Outbox outbox = Outbox.create();
    private final Relay relay;
    private final InboxConsumer billing;

    public PlainJdbc(DataSource shop, DataSource books, String kafka) throws SQLException {
        this.shop = shop;
        install(shop);
        install(books);
        relay = Relay.builder(shop)
                .subscribe(Subscription.to("to-kafka", KafkaSink.builder(kafka).build())
                        .build())
                .start();
        billing = InboxConsumer.builder(kafka, books)
                .name("billing")
                .topics("order.events")
                .handler(PlainJdbc::book)
                .build();
        billing.start();
    }

    private static void install(DataSource dataSource) throws SQLException {
        new Schema(SchemaName.DEFAULT).install(dataSource);
        try (Connection connection = dataSource.getConnection();
                var statement = connection.createStatement()) {
            statement.execute(TABLES);
        }
    }

    /** The order and the event that tells of it, in one transaction. */
    public void place(String order, long cents) throws SQLException {
        try (Connection connection = shop.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO placed_order VALUES (?, ?)")) {
                insert.setString(1, order);
                insert.setLong(2, cents);
                insert.executeUpdate();
            }
            outbox.record(
                    connection,
                    Event.builder()
                            .source("shop")
                            .type("order.placed")
                            .key(order)
                            .json("{\"order\": \"" + order + "\", \"cents\": " + cents + "}")
                            .build());
            connection.commit();
        }
        relay.wake();
    }

    /** In the transaction of the inbox entry, so it happens once however often the event comes. */
    private static void book(Connection connection, Event event) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO booking SELECT e ->> 'order', (e ->> 'cents')::bigint FROM (SELECT ?::jsonb) AS t (e)")) {
            insert.setString(1, new String(event.payload(), UTF_8));
            insert.executeUpdate();
        }
    }

    @Override
    public void close() {
        billing.close();
        relay.close();
    }
}
