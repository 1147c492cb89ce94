package dev.posthorn.spring.relay;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import dev.posthorn.spring.setup.SetupException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.jdbc.DataSourceUnwrapper;

/** Apart from others, because an application may use another pool. */
final class HikariPools {

    private HikariPools() {}

    static RelayConnections own(DataSource applications, String name, int connections) {
        HikariDataSource pool = hikari(applications);
        if (pool == null) {
            return new RelayConnections(applications, () -> {});
        }
        HikariConfig config = new HikariConfig();
        pool.copyStateTo(config);
        config.setPoolName(name);
        config.setMaximumPoolSize(connections);
        config.setMinimumIdle(0);
        config.setAutoCommit(true);
        // A relay keeps its connections, which is no leak.
        config.setLeakDetectionThreshold(0);
        HikariDataSource own = new HikariDataSource(config);
        return new RelayConnections(own, own::close);
    }

    /** With too few, the relay would wait for connections that it holds itself, or the application for the relay. */
    static RelayConnections shared(DataSource applications, int connections) {
        HikariDataSource pool = hikari(applications);
        if (pool != null && pool.getMaximumPoolSize() <= connections) {
            throw new SetupException(
                    "The connection pool '" + pool.getPoolName() + "' has " + pool.getMaximumPoolSize()
                            + " connections at most, but the relay keeps up to " + connections
                            + " of them for itself and the application needs some too",
                    "Set spring.datasource.hikari.maximum-pool-size to at least " + (connections + 1)
                            + ", or posthorn.relay.pool to own");
        }
        return new RelayConnections(applications, () -> {});
    }

    private static @Nullable HikariDataSource hikari(DataSource dataSource) {
        return DataSourceUnwrapper.unwrap(dataSource, HikariConfigMXBean.class, HikariDataSource.class);
    }
}
