package dev.posthorn.kafka.consumer;

import dev.posthorn.event.Event;
import dev.posthorn.inbox.BatchHandler;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A consumer in a process of its own, whose handler writes down that it was called, then fails at events whose text begins
 * with "failing" and ends the process at those whose text begins with "deadly". Ends with its standard input.
 */
public final class DeadlyMember {

    private static final int THREADS = 4;

    private final DataSource dataSource;

    private DeadlyMember(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** Arguments: JDBC URL, user, password, bootstrap servers, topic, name, batches or not, dead letters to a topic or not. */
    public static void main(String[] args) throws IOException {
        DataSource dataSource = database(args);
        DeadlyMember member = new DeadlyMember(dataSource);
        InboxConsumer.Builder builder = InboxConsumer.builder(args[3], dataSource)
                .name(args[5])
                .topics(args[4])
                .threads(THREADS)
                .retry(Books.QUICKLY)
                .ownRelay(false)
                // Who comes back under its name need not wait until it is missed.
                .setting("group.instance.id", "the-only-one");
        BatchHandler handler = member::handle;
        if (Boolean.parseBoolean(args[6])) {
            builder.batchHandler(handler).batchSize(20);
        } else {
            builder.handler((connection, event) -> handler.handle(connection, List.of(event)));
        }
        if (Boolean.parseBoolean(args[7])) {
            builder.deadLetterTopic();
        }
        InboxConsumer consumer = builder.build();
        consumer.start();
        while (System.in.read() >= 0) {
            // whatever is written to it means nothing
        }
        consumer.close();
        System.exit(0);
    }

    private static DataSource database(String[] args) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(args[0]);
        dataSource.setUser(args[1]);
        dataSource.setPassword(args[2]);
        return dataSource;
    }

    private void handle(Connection connection, List<Event> events) throws SQLException {
        for (Event event : events) {
            noteCall(event);
        }
        for (Event event : events) {
            String text = Books.text(event);
            if (text.startsWith("deadly")) {
                Runtime.getRuntime().halt(1);
            }
            if (text.startsWith("failing")) {
                throw new IllegalStateException("no such account");
            }
            Books.enter(connection, event);
        }
    }

    /** For itself: the call was made, whatever becomes of it. */
    private void noteCall(Event event) throws SQLException {
        try (Connection own = dataSource.getConnection();
                PreparedStatement insert = own.prepareStatement("INSERT INTO call VALUES (?)")) {
            insert.setString(1, Books.text(event));
            insert.executeUpdate();
        }
    }
}
