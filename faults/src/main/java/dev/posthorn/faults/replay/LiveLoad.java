package dev.posthorn.faults.replay;

import dev.posthorn.Outbox;
import dev.posthorn.faults.harness.Crew;
import dev.posthorn.faults.harness.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;

/** Records events at a steady rate, on the keys of the dead letters. */
final class LiveLoad {

    static final String TYPE = "live";

    private final Database database;
    private final double perSecond;
    private final Crew crew = new Crew();
    private volatile boolean stopping;

    private LiveLoad(Database database, double perSecond) {
        this.database = database;
        this.perSecond = perSecond;
    }

    static LiveLoad start(Database database, double perSecond) {
        LiveLoad load = new LiveLoad(database, perSecond);
        load.crew.start("live", load::record);
        return load;
    }

    private void record() throws SQLException, InterruptedException {
        Outbox outbox = Outbox.create();
        long started = System.nanoTime();
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            for (int i = 0; !stopping; i++) {
                TimeUnit.NANOSECONDS.sleep(started + (long) (i * 1e9 / perSecond) - System.nanoTime());
                outbox.record(connection, Letters.event(TYPE, i));
                connection.commit();
            }
        }
    }

    void check() {
        crew.check();
    }

    void stop() {
        stopping = true;
        crew.join();
    }
}
