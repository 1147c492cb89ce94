package dev.posthorn.spring.shop;

import dev.posthorn.embedded.kafka.EmbeddedKafka;
import dev.posthorn.testkit.FreshDatabase;

/** The servers that all tests of the JVM share. */
public final class TestServer {

    private TestServer() {}

    private static final class Kafka {
        static final EmbeddedKafka BROKER = EmbeddedKafka.temporary();
    }

    /** The JDBC URL of a new database, user and password in it. */
    public static String database() {
        return FreshDatabase.create().completeUrl();
    }

    public static EmbeddedKafka kafka() {
        return Kafka.BROKER;
    }
}
