package dev.posthorn.server.database;

import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import dev.posthorn.log.DirectConnections;
import dev.posthorn.server.periodic.PeriodicTask;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for the database, installs the tables, and then lets those begin who need it. Starts the embedded PostgreSQL again
 * if it has died.
 */
public final class DatabaseKeeper extends PeriodicTask {

    private static final Logger log = LoggerFactory.getLogger(DatabaseKeeper.class);

    private static final Duration LOOK_INTERVAL = Duration.ofMillis(500);

    /** Before everything else, and after it at the end. */
    private static final int PHASE = 0;

    private final Database database;
    private final List<Runnable> beginners = new CopyOnWriteArrayList<>();
    private boolean startingAgain;

    public DatabaseKeeper(Database database) {
        super("posthorn-database-keeper", LOOK_INTERVAL, PHASE);
        this.database = database;
    }

    /** Runs this once the database is there, in the order of the calls; again later if it throws. */
    public void onceReady(Runnable begin) {
        beginners.add(begin);
    }

    @Override
    protected void runOnce() {
        try {
            look();
        } catch (RuntimeException e) {
            database.outage().away(e);
        }
    }

    private void look() {
        startAgain();
        if (!database.isReady()) {
            install();
        } else {
            begin();
        }
    }

    private void startAgain() {
        EmbeddedPostgres embedded = database.embedded();
        if (embedded == null || embedded.isRunning()) {
            return;
        }
        if (!startingAgain) {
            startingAgain = true;
            log.warn("The embedded PostgreSQL has died; starting it again");
        }
        embedded.start();
        startingAgain = false;
    }

    private void install() {
        new DirectConnections(database.direct()).require();
        HubSchema.install(database.direct(), database.schema());
        database.ready();
        begin();
    }

    private void begin() {
        while (!beginners.isEmpty()) {
            beginners.get(0).run();
            beginners.remove(0);
        }
    }
}
