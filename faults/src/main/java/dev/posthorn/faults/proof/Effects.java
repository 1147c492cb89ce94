package dev.posthorn.faults.proof;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.event.Event;
import dev.posthorn.faults.harness.Change;
import dev.posthorn.faults.harness.Database;
import dev.posthorn.faults.harness.Ledger;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;

/**
 * What a member of a consumer does about events: a row for each, numbered as they are made. Nothing in the table keeps a
 * second one of an event out, nor one of a key that comes too early, so that either would show.
 */
final class Effects {

    private static final String TABLE = """
            CREATE TABLE effect (
                n        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                consumer text   NOT NULL,
                member   text   NOT NULL,
                event_id uuid   NOT NULL,
                key      text   NOT NULL,
                payload  text   NOT NULL)""";

    private static final String ADD = """
            INSERT INTO effect (consumer, member, event_id, key, payload)
            SELECT ?, ?, id, key, payload
              FROM unnest(?::uuid[], ?::text[], ?::text[]) WITH ORDINALITY AS e (id, key, payload, place)
             ORDER BY place""";

    private static final String ALL = """
            SELECT event_id, convert_to(payload, 'UTF8') FROM effect WHERE consumer = ? ORDER BY n""";

    private final String consumer;
    private final String member;

    Effects(String consumer, String member) {
        this.consumer = consumer;
        this.member = member;
    }

    static void createTable(Database database) throws SQLException {
        database.execute(TABLE);
    }

    /** A {@link dev.posthorn.inbox.Handler}. */
    void of(Connection connection, Event event) throws SQLException {
        ofEach(connection, List.of(event));
    }

    /** A {@link dev.posthorn.inbox.BatchHandler}. */
    void ofEach(Connection connection, List<Event> events) throws SQLException {
        try (PreparedStatement add = connection.prepareStatement(ADD)) {
            add.setString(1, consumer);
            add.setString(2, member);
            add.setArray(3, connection.createArrayOf("uuid", values(events, Event::id)));
            add.setArray(4, connection.createArrayOf("text", values(events, Event::key)));
            add.setArray(
                    5, connection.createArrayOf("text", values(events, each -> new String(each.payload(), UTF_8))));
            add.executeUpdate();
        }
    }

    private static Object[] values(List<Event> events, Function<Event, Object> value) {
        return events.stream().map(value).toArray();
    }

    /** Holds a consumer's effects against the events that should have had one each, those of a key in order. */
    static Ledger.Verdict verdict(Database database, String consumer, List<Change> expected) throws SQLException {
        Ledger ledger = new Ledger(consumer);
        Change.read(database.dataSource(), ALL, consumer).forEach(change -> ledger.note(change, again -> false));
        return ledger.verdict(expected, change -> true);
    }

    /** How many events have had one, or several. */
    static int events(Database database) {
        try {
            return (int) database.number("SELECT count(DISTINCT event_id) FROM effect");
        } catch (SQLException e) {
            throw new IllegalStateException("the effects could not be counted", e);
        }
    }
}
