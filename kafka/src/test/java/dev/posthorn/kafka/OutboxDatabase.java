package dev.posthorn.kafka;

import dev.posthorn.Outbox;
import dev.posthorn.audit.Actor;
import dev.posthorn.deadletter.DeadLetterQuery;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.event.Event;
import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import dev.posthorn.replay.ReplayRequest;
import dev.posthorn.replay.Replays;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/** A fresh database with an outbox, on a server that all tests of the JVM share. Its events are numbered in their payload. */
public final class OutboxDatabase {

    static final String KEY = "the-one-key";

    private static final AtomicInteger COUNT = new AtomicInteger();

    /** Started on first use, stopped with the JVM. */
    private static final class Server {
        static final EmbeddedPostgres SHARED = EmbeddedPostgres.builder().start();
    }

    private final String name;
    private final DataSource dataSource;
    private final Outbox outbox = Outbox.create();

    private OutboxDatabase(String name, DataSource dataSource) {
        this.name = name;
        this.dataSource = dataSource;
    }

    public static OutboxDatabase create() throws SQLException {
        String name = "kafka_" + COUNT.incrementAndGet();
        administer("CREATE DATABASE " + name);
        DataSource dataSource = Server.SHARED.dataSource(name);
        new Schema(SchemaName.DEFAULT).install(dataSource);
        return new OutboxDatabase(name, dataSource);
    }

    private static void administer(String sql) throws SQLException {
        try (Connection connection = Server.SHARED.dataSource().getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** As it is to new sessions while another server takes over. */
    public void readOnly(boolean readOnly) throws SQLException {
        administer("ALTER DATABASE " + name + " SET default_transaction_read_only = " + readOnly);
    }

    public String jdbcUrl() {
        return Server.SHARED.jdbcUrl(name);
    }

    public static String user() {
        return Server.SHARED.user();
    }

    public static String password() {
        return Server.SHARED.password();
    }

    public DataSource dataSource() {
        return dataSource;
    }

    void record(List<Event> events) {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
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
    int waiting(String state) {
        return query("SELECT count(*) FROM posthorn.delivery WHERE state = '" + state + "'", row -> row.getInt(1))
                .get(0);
    }

    /** How many events wait. */
    int waiting() {
        return query("SELECT count(*) FROM posthorn.delivery", row -> row.getInt(1))
                .get(0);
    }

    /** Asks for every dead letter to be sent again. */
    public void replayAll() {
        new Replays(dataSource, SchemaName.DEFAULT)
                .start(ReplayRequest.ofQuery(DeadLetterQuery.OPEN).build(), Actor.named("test"));
    }

    public void execute(String sql) {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What to do with a row. */
    public interface Reading<T> {
        T of(ResultSet row) throws SQLException;
    }

    public <T> List<T> query(String sql, Reading<T> reading) {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<T> found = new ArrayList<>();
            while (rows.next()) {
                found.add(reading.of(rows));
            }
            return found;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
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
