package dev.posthorn.spring;

import javax.sql.DataSource;
import org.springframework.util.ClassUtils;

/**
 * The data source of the relay. By default a small pool of its own: a relay keeps its connections, which would be half of
 * Spring Boot's default pool, and an application that uses up its pool must not stop the delivery of its events.
 */
record RelayConnections(DataSource dataSource, Runnable ending) implements AutoCloseable {

    private static final String HIKARI = "com.zaxxer.hikari.HikariDataSource";

    static RelayConnections of(DataSource applications, PosthornProperties.Relay settings) {
        int needed = needed(settings);
        if (!ClassUtils.isPresent(HIKARI, RelayConnections.class.getClassLoader())) {
            return new RelayConnections(applications, () -> {});
        }
        return settings.pool() == PosthornProperties.Pool.OWN
                ? HikariPools.own(applications, needed)
                : HikariPools.shared(applications, needed);
    }

    /** One per worker, two for leases and partitions, and one now and then for retention. */
    static int needed(PosthornProperties.Relay settings) {
        return settings.workers() + 3;
    }

    @Override
    public void close() {
        ending.run();
    }
}
