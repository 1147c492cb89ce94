package dev.posthorn.server.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.posthorn.server.problem.Problem;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;

/**
 * The connections that one kind of call has to itself, so that no other kind waits for it; and how long each of its
 * statements may take. Without that limit a statement goes on in the server when nobody waits for it any more.
 */
final class Share extends HikariDataSource {

    private static final Duration SOON = Duration.ofSeconds(1);

    private final String what;

    /** {@code what} names the calls in the plural. */
    Share(HikariConfig config, String what, Duration longest) {
        super(limited(config, longest));
        this.what = what;
    }

    private static HikariConfig limited(HikariConfig config, Duration longest) {
        config.setConnectionInitSql("SET statement_timeout = " + longest.toMillis());
        return config;
    }

    /** Tells connections that are all in use from a database that is away. */
    @Override
    public Connection getConnection() throws SQLException {
        try {
            return super.getConnection();
        } catch (SQLTransientConnectionException e) {
            if (getHikariPoolMXBean().getActiveConnections() < getMaximumPoolSize()) {
                throw e;
            }
            throw Problem.unavailable(
                            getMaximumPoolSize() + " " + what + " are under way, and as many as the hub works on at a"
                                    + " time; try again, and narrow yours (from, to): then it takes less",
                            SOON)
                    .asException();
        }
    }
}
