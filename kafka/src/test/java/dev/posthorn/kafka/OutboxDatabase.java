package dev.posthorn.kafka;

import dev.posthorn.Outbox;
import dev.posthorn.audit.Actor;
import dev.posthorn.deadletter.DeadLetterQuery;
import dev.posthorn.event.Event;
import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import dev.posthorn.replay.ReplayRequest;
import dev.posthorn.replay.Replays;
import dev.posthorn.testkit.DatabaseServer;
import dev.posthorn.testkit.FreshDatabase;
import dev.posthorn.testkit.TemplateDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;

/** A fresh database with an outbox, on a server that all tests of the JVM share. Its events are numbered in their payload. */
public final class OutboxDatabase extends FreshDatabase {

    static final String KEY = "the-one-key";

    private static final TemplateDatabase INSTALLED = new TemplateDatabase(new Schema(SchemaName.DEFAULT)::install);

    private final Outbox outbox = Outbox.create();

    private OutboxDatabase(DatabaseServer server) {
        super(server, INSTALLED.on(server));
    }

    public static OutboxDatabase create() {
        return new OutboxDatabase(DatabaseServer.newest());
    }

    /** As it is to new sessions while another server takes over. */
    public void readOnly(boolean readOnly) {
        server().execute("ALTER DATABASE " + name() + " SET default_transaction_read_only = " + readOnly);
    }

    void record(List<Event> events) {
        try (Connection connection = transaction()) {
            outbox.record(connection, events);
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A dead letter, and the number at the beginning of its payload. */
    public record DeadLetter(int number, String errorClass, String message, boolean holdsKey) {}

    public List<DeadLetter> deadLetters() {
        return query(
                "SELECT split_part(convert_from(payload, 'UTF8'), ' ', 1), error_class, error_message, holds_key"
                        + " FROM posthorn.dead_letter ORDER BY seq",
                row -> new DeadLetter(row.getInt(1), row.getString(2), row.getString(3), row.getBoolean(4)));
    }

    /** How many events wait, in this state. */
    long waiting(String state) {
        return number("SELECT count(*) FROM posthorn.delivery WHERE state = '" + state + "'");
    }

    /** How many events wait. */
    long waiting() {
        return number("SELECT count(*) FROM posthorn.delivery");
    }

    /** Asks for every dead letter to be sent again. */
    public void replayAll() {
        new Replays(dataSource(), SchemaName.DEFAULT)
                .start(ReplayRequest.ofQuery(DeadLetterQuery.OPEN).build(), Actor.named("test"));
    }

    /** Records events of one key and of these numbers, the greater excluded. */
    void record(int from, int to) {
        record(IntStream.range(from, to).mapToObj(OutboxDatabase::numbered).toList());
    }

    static Event numbered(int number) {
        return event(number, "order.placed", " ".repeat(100));
    }

    static Event event(int number, String type, String padding) {
        return Event.builder()
                .source("shop")
                .type(type)
                .key(KEY)
                .json(number + " " + padding)
                .build();
    }
}
