package dev.posthorn.faults.harness;

import dev.posthorn.embedded.kafka.EmbeddedKafka;
import dev.posthorn.embedded.postgres.Binaries;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;

/** The PostgreSQL servers and the Kafka broker of this JVM, each started on first use and stopped with the JVM. */
public final class Servers {

    private Servers() {}

    public static EmbeddedPostgres newest() {
        return Newest.SERVER;
    }

    public static EmbeddedPostgres oldest() {
        return Oldest.SERVER;
    }

    /** It misses a member that was killed sooner than others do. */
    public static EmbeddedKafka kafka() {
        return Kafka.BROKER;
    }

    private static EmbeddedPostgres start(Binaries binaries) {
        return EmbeddedPostgres.builder()
                .binaries(binaries)
                .setting("max_prepared_transactions", "50")
                .start();
    }

    private static final class Kafka {
        static final EmbeddedKafka BROKER = EmbeddedKafka.builder()
                .setting("group.min.session.timeout.ms", "1000")
                .start();
    }

    private static final class Newest {
        static final EmbeddedPostgres SERVER = start(Binaries.newest());
    }

    private static final class Oldest {
        static final EmbeddedPostgres SERVER = start(Binaries.oldest());
    }
}
