package dev.posthorn.server.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Whether the database was read and answers now. Looks at most once a second, on a connection of its own: the pool's may all be in use
 * by calls, and a busy hub is not one without a database.
 */
public final class DatabaseHealth implements HealthIndicator, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(DatabaseHealth.class);

    private static final long VALID_NANOS = Duration.ofSeconds(1).toNanos();
    private static final int PATIENCE_SECONDS = 1;

    private final Database database;
    private final Changes changes;
    private final ReentrantLock looking = new ReentrantLock();
    private @Nullable Connection connection;
    private volatile boolean answers;
    private long lookedAt = System.nanoTime() - VALID_NANOS;

    public DatabaseHealth(Database database, Changes changes) {
        this.database = database;
        this.changes = changes;
    }

    @Override
    public Health health() {
        return changes.isRead() && answers()
                ? Health.up().build()
                : Health.down().build();
    }

    /** Whoever comes while another looks takes what was seen before: a probe must not wait for a database that hangs. */
    private boolean answers() {
        if (looking.tryLock()) {
            try {
                if (System.nanoTime() - lookedAt >= VALID_NANOS) {
                    answers = look();
                    lookedAt = System.nanoTime();
                }
            } finally {
                looking.unlock();
            }
        }
        return answers;
    }

    private boolean look() {
        try {
            if (connection == null || !connection.isValid(PATIENCE_SECONDS)) {
                close();
                connection = database.direct().getConnection();
            }
            return true;
        } catch (SQLException e) {
            log.debug("The database does not answer", e);
            return false;
        }
    }

    @Override
    public void close() {
        Connection old = connection;
        connection = null;
        if (old == null) {
            return;
        }
        try {
            old.close();
        } catch (SQLException e) {
            log.debug("A connection that is not needed any more could not be closed", e);
        }
    }
}
