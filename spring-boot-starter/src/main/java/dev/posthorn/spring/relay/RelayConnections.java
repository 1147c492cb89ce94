package dev.posthorn.spring.relay;

import dev.posthorn.spring.settings.PosthornProperties;
import javax.sql.DataSource;
import org.springframework.util.ClassUtils;

/**
 * The data source of the relay. By default a small pool of its own: a relay keeps its connections, which would be half of
 * Spring Boot's default pool, and an application that uses up its pool must not stop the delivery of its events.
 */
public record RelayConnections(DataSource dataSource, Runnable ending) implements AutoCloseable {

    private static final String HIKARI = "com.zaxxer.hikari.HikariDataSource";

    /**
     * Enough for a relay with so many workers.
     *
     * @param name of a pool of its own
     */
    public static RelayConnections of(DataSource applications, PosthornProperties.Pool pool, String name, int workers) {
        int needed = needed(workers);
        if (!ClassUtils.isPresent(HIKARI, RelayConnections.class.getClassLoader())) {
            return new RelayConnections(applications, () -> {});
        }
        return pool == PosthornProperties.Pool.OWN
                ? HikariPools.own(applications, name, needed)
                : HikariPools.shared(applications, needed);
    }

    /** One per worker, two for leases and partitions, and one now and then for retention. */
    private static int needed(int workers) {
        return workers + 3;
    }

    @Override
    public void close() {
        ending.run();
    }
}
