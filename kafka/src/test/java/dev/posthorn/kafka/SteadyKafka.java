package dev.posthorn.kafka;

import dev.posthorn.embedded.kafka.EmbeddedKafka;

/**
 * A broker that is never taken away. It need not be missed within seconds, as one that is killed has to be: if it stood
 * still for so long, it would be fenced off for a while, and no topic could be created then.
 */
public final class SteadyKafka {

    private SteadyKafka() {}

    private static final class Shared {
        static final EmbeddedKafka BROKER = builder().start();
    }

    /** The one that tests of the JVM share, each with topics of its own: started on first use, stopped with the JVM. */
    public static EmbeddedKafka shared() {
        return Shared.BROKER;
    }

    public static EmbeddedKafka.Builder builder() {
        return EmbeddedKafka.builder().setting("broker.session.timeout.ms", "60000");
    }
}
