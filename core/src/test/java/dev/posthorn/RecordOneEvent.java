package dev.posthorn;

import dev.posthorn.event.Event;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** An application that only records. {@link ClassPathTest} runs it with as little as possible on its class path. */
final class RecordOneEvent {

    private RecordOneEvent() {}

    public static void main(String[] urlUserPassword) throws SQLException {
        try (Connection connection =
                DriverManager.getConnection(urlUserPassword[0], urlUserPassword[1], urlUserPassword[2])) {
            connection.setAutoCommit(false);
            Outbox.create()
                    .record(
                            connection,
                            Event.builder()
                                    .source("small-application")
                                    .type("order.placed")
                                    .key("order-7")
                                    .header("tenant", "7")
                                    .json("{}")
                                    .build());
            connection.commit();
        }
    }
}
