package dev.posthorn.faults.proof;

import dev.posthorn.Outbox;
import dev.posthorn.event.Event;
import dev.posthorn.faults.harness.Change;
import dev.posthorn.faults.harness.Database;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Changes aggregates and records an event for every change, many in one transaction. For one thread. */
final class Changes implements AutoCloseable {

    private static final String LOCK = "SELECT id, counter FROM aggregate WHERE id = ANY (?) ORDER BY id FOR UPDATE";
    private static final String SAVE = """
            UPDATE aggregate a SET counter = c.counter FROM unnest(?, ?) AS c (id, counter) WHERE a.id = c.id""";

    private final Connection connection;
    private final Outbox outbox = Outbox.create();

    Changes(Database database) throws SQLException {
        this.connection = database.dataSource().getConnection();
        connection.setAutoCommit(false);
    }

    /** One change of each, in this order; an aggregate may be there several times. Returns the ids of the events. */
    List<UUID> of(List<Integer> aggregates) throws SQLException {
        Map<Integer, Long> counters = lock(aggregates);
        List<Event> events = new ArrayList<>();
        for (int aggregate : aggregates) {
            events.add(Change.event(aggregate, counters.merge(aggregate, 1L, Long::sum)));
        }
        save(counters);
        List<UUID> ids = outbox.record(connection, events);
        connection.commit();
        return ids;
    }

    private Map<Integer, Long> lock(List<Integer> aggregates) throws SQLException {
        Map<Integer, Long> counters = new HashMap<>();
        try (PreparedStatement lock = connection.prepareStatement(LOCK)) {
            lock.setArray(1, array("integer", aggregates));
            try (ResultSet rows = lock.executeQuery()) {
                while (rows.next()) {
                    counters.put(rows.getInt(1), rows.getLong(2));
                }
            }
        }
        return counters;
    }

    private void save(Map<Integer, Long> counters) throws SQLException {
        List<Integer> ids = List.copyOf(counters.keySet());
        try (PreparedStatement save = connection.prepareStatement(SAVE)) {
            save.setArray(1, array("integer", ids));
            save.setArray(2, array("bigint", ids.stream().map(counters::get).toList()));
            save.executeUpdate();
        }
    }

    private Array array(String type, List<?> values) throws SQLException {
        return connection.createArrayOf(type, values.toArray());
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
