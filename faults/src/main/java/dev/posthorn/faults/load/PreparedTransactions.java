package dev.posthorn.faults.load;

import dev.posthorn.faults.harness.Tally;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Transactions that were prepared and wait for another connection to end them. */
final class PreparedTransactions {

    private final BlockingQueue<String> waiting = new LinkedBlockingQueue<>();
    private final AtomicLong names = new AtomicLong();
    private final String prefix;
    private final Tally tally;

    /** @param prefix names of prepared transactions are global to a server */
    PreparedTransactions(String prefix, Tally tally) {
        this.prefix = prefix;
        this.tally = tally;
    }

    void prepare(Connection connection) throws SQLException {
        String name = prefix + "_" + names.incrementAndGet();
        try (Statement statement = connection.createStatement()) {
            statement.execute("PREPARE TRANSACTION '" + name + "'");
        }
        connection.rollback(); // the driver's view; the server has none left to roll back
        waiting.add(name);
    }

    /** Ends one, if there is one within a moment. */
    boolean endOne(Connection connection, RandomGenerator random) throws SQLException, InterruptedException {
        @Nullable String name = waiting.poll(20, TimeUnit.MILLISECONDS);
        if (name == null) {
            return false;
        }
        TimeUnit.MILLISECONDS.sleep(random.nextInt(60));
        boolean commit = random.nextInt(4) != 0;
        try (Statement statement = connection.createStatement()) {
            statement.execute((commit ? "COMMIT" : "ROLLBACK") + " PREPARED '" + name + "'");
        }
        tally.count(commit ? "prepared committed" : "prepared rolled back");
        return true;
    }
}
