package dev.posthorn.server.subscriptions;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.Outbox;
import dev.posthorn.event.Event;
import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import dev.posthorn.server.TestHub;
import dev.posthorn.testkit.Receiver;
import dev.posthorn.testkit.Request;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An application that has only the library records in its own transactions; a hub on the same database delivers. */
class SharedDatabaseTest {

    private static final int ORDERS = 30;
    private static final String DOCUMENT = """
            {"filter": {"types": ["order.*"]}, "sink": {"kind": "http", "url": "%s"}, "start": "beginning"}""";

    private final String database = TestHub.emptyDatabase();
    private final DataSource dataSource = TestHub.dataSource(database);
    private final Outbox outbox = Outbox.create();
    private final List<String> committed = new ArrayList<>();
    private final List<String> rolledBack = new ArrayList<>();

    @BeforeEach
    void createTheApplicationsTable() throws SQLException {
        execute("CREATE TABLE shop_order (id text PRIMARY KEY)");
    }

    @Test
    void aHubDeliversForAnApplicationThatWasThereFirst() throws SQLException {
        new Schema(SchemaName.DEFAULT).install(dataSource);
        assertThat(text("SELECT to_regclass('posthorn.hub_subscription')"))
                .as("the hub's tables")
                .isEmpty();
        placeOrders("early");
        try (TestHub hub = TestHub.startOn(database, Map.of());
                Receiver receiver = Receiver.start()) {
            assertDelivers(hub, receiver);
        }
    }

    @Test
    void anApplicationRecordsWhereAHubWasFirst() throws SQLException {
        try (TestHub hub = TestHub.startOn(database, Map.of());
                Receiver receiver = Receiver.start()) {
            new Schema(SchemaName.DEFAULT).install(dataSource);
            new Schema(SchemaName.DEFAULT).verify(dataSource);
            placeOrders("early");
            assertDelivers(hub, receiver);
        }
    }

    /** What was recorded before the subscription was there, and after it; the last one of the key shows that all came. */
    private void assertDelivers(TestHub hub, Receiver receiver) throws SQLException {
        assertThat(hub.rest()
                        .put("/v1/subscriptions/orders", DOCUMENT.formatted(receiver.url("/")))
                        .status())
                .isEqualTo(201);
        placeOrders("late");
        place("last", true);
        await().atMost(60, SECONDS).until(() -> ids(receiver).contains(committed.get(committed.size() - 1)));
        assertThat(ids(receiver)).isEqualTo(committed).doesNotContainAnyElementsOf(rolledBack);
        assertThat(rolledBack).isNotEmpty();
        assertThat(text("SELECT count(*) FROM shop_order")).isEqualTo(Integer.toString(committed.size()));
    }

    private static List<String> ids(Receiver receiver) {
        return receiver.requests().stream().map(Request::id).toList();
    }

    private void placeOrders(String prefix) throws SQLException {
        for (int i = 0; i < ORDERS; i++) {
            place(prefix + "-" + i, i % 3 != 0);
        }
    }

    private void place(String order, boolean commits) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO shop_order VALUES (?)")) {
                insert.setString(1, order);
                insert.executeUpdate();
            }
            UUID id = outbox.record(connection, placed(order));
            if (commits) {
                connection.commit();
            } else {
                connection.rollback();
            }
            (commits ? committed : rolledBack).add(id.toString());
        }
    }

    private static Event placed(String order) {
        return Event.builder()
                .source("shop")
                .type("order.placed")
                .key("the-one-key")
                .json("\"" + order + "\"")
                .build();
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private String text(String query) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            String value = row.getString(1);
            return value == null ? "" : value;
        }
    }
}
