package dev.posthorn.faults.proof;

import dev.posthorn.Outbox;
import dev.posthorn.faults.harness.Change;
import dev.posthorn.faults.harness.ChildProgram;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;

/**
 * An application in a process of its own, so that it can be killed: it saves an aggregate, records the event of that,
 * says how far it is, and does no more.
 */
public final class HangingProducer {

    /** Saved and recorded, in a transaction that is open. */
    static final String SAVED = "saved";

    static final String COMMITTED = "committed";

    private HangingProducer() {}

    /** Arguments: JDBC URL, user, password, instance, how far it goes, aggregate. */
    public static void main(String[] args) throws SQLException, InterruptedException {
        int aggregate = Integer.parseInt(args[5]);
        try (Connection connection = ChildProgram.dataSource(args).getConnection()) {
            connection.setAutoCommit(false);
            save(connection, aggregate);
            Outbox.create().record(connection, Change.event(aggregate, 1));
            if (args[4].equals(COMMITTED)) {
                connection.commit();
            }
            System.out.println(args[4]);
            new CountDownLatch(1).await();
        }
    }

    private static void save(Connection connection, int aggregate) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO aggregate (id, counter) VALUES (?, 1)")) {
            insert.setInt(1, aggregate);
            insert.executeUpdate();
        }
    }
}
