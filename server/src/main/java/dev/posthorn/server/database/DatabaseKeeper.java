package dev.posthorn.server.database;

import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Waits for the database, installs the tables, and then lets those begin who need it. Starts the embedded PostgreSQL again
 * if it has died.
 */
public final class DatabaseKeeper implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(DatabaseKeeper.class);

    private static final Duration LOOK_INTERVAL = Duration.ofMillis(500);

    private final Database database;
    private final List<Runnable> beginners = new CopyOnWriteArrayList<>();
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final Thread thread = new Thread(this::keep, "posthorn-database-keeper");
    private String trouble = "";
    private volatile boolean running;

    public DatabaseKeeper(Database database) {
        this.database = database;
        thread.setDaemon(true);
    }

    /** Runs this once the database is there, in the order of the calls; again later if it throws. */
    public void onceReady(Runnable begin) {
        beginners.add(begin);
    }

    private void keep() {
        do {
            attempt(this::startAgain);
            if (!database.isReady()) {
                attempt(this::install);
            } else if (!beginners.isEmpty()) {
                attempt(this::begin);
            }
        } while (!pause());
    }

    private void startAgain() {
        EmbeddedPostgres embedded = database.embedded();
        if (embedded != null && !embedded.isRunning()) {
            log.warn("The embedded PostgreSQL has died; starting it again");
            embedded.start();
        }
    }

    private void install() {
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

    private void attempt(Runnable step) {
        try {
            step.run();
            trouble = "";
        } catch (RuntimeException e) {
            if (!trouble.equals(String.valueOf(e.getMessage()))) {
                trouble = String.valueOf(e.getMessage());
                log.warn("The database is not ready: {}. Trying again every {} ms", trouble, LOOK_INTERVAL.toMillis());
            }
        }
    }

    private boolean pause() {
        try {
            return stopping.await(LOOK_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return true;
        }
    }

    @Override
    public void start() {
        running = true;
        thread.start();
    }

    @Override
    public void stop() {
        running = false;
        stopping.countDown();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Before everything else, and after it at the end. */
    @Override
    public int getPhase() {
        return 0;
    }
}
