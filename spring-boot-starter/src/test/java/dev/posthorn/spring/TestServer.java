package dev.posthorn.spring;

import dev.posthorn.embedded.kafka.EmbeddedKafka;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/** The servers that all tests of the JVM share. */
public final class TestServer {

    private static final AtomicInteger COUNT = new AtomicInteger();

    private TestServer() {}

    private static final class Postgres {
        static final EmbeddedPostgres SERVER =
                EmbeddedPostgres.builder().setting("max_connections", "300").start();
    }

    private static final class Kafka {
        static final EmbeddedKafka BROKER = EmbeddedKafka.temporary();
    }

    /** The JDBC URL of a new database, user and password in it. */
    public static String database() {
        String name = "shop_" + COUNT.incrementAndGet();
        try (Connection connection = Postgres.SERVER.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        EmbeddedPostgres server = Postgres.SERVER;
        return server.jdbcUrl(name) + "?user=" + server.user() + "&password=" + server.password();
    }

    public static EmbeddedKafka kafka() {
        return Kafka.BROKER;
    }
}
