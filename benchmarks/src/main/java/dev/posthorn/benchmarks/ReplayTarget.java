package dev.posthorn.benchmarks;

import dev.posthorn.http.Destinations;
import dev.posthorn.http.HttpSink;
import dev.posthorn.kafka.KafkaSink;
import dev.posthorn.sink.Sink;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Where a backlog is drained to, and dead letters are replayed to. */
interface ReplayTarget extends AutoCloseable {

    /** The kinds there are. */
    enum Kind {
        HTTP {
            @Override
            ReplayTarget start() throws IOException {
                return new Http();
            }
        },
        KAFKA {
            @Override
            ReplayTarget start() throws IOException {
                return new Kafka();
            }
        },
        /** Takes everything at once, so that what is measured is the relay and its database. */
        NONE {
            @Override
            ReplayTarget start() {
                return new None();
            }
        };

        abstract ReplayTarget start() throws IOException;
    }

    /** A sink of its own for each round. */
    Sink open(String round);

    /** The round is over. */
    default void end(String round) {}

    @Override
    void close();

    static Sink webhook(int port) {
        return HttpSink.builder("http://127.0.0.1:" + port + "/")
                .destinations(Destinations.builder().allowLoopback().build())
                .signedWith(HttpSink.newSecret())
                .build();
    }

    /** A receiver in a process of its own that answers at once. */
    final class Http implements ReplayTarget {

        private final ChildProgram receiver;
        private final int port;

        private Http() throws IOException {
            this.receiver = ChildProgram.start(
                    WebhookReceiver.class, List.of("-Xmx64m", "-XX:+UseSerialGC"), Map.of(), List.of());
            this.port = Integer.parseInt(receiver.awaitLine("ready "));
        }

        @Override
        public Sink open(String round) {
            return webhook(port);
        }

        @Override
        public void close() {
            receiver.close();
        }
    }

    /** A topic for each round. */
    final class Kafka implements ReplayTarget {

        private static final int PARTITIONS = 8;

        private final Broker broker;

        private Kafka() throws IOException {
            this.broker = Broker.start();
        }

        @Override
        public Sink open(String round) {
            broker.createTopic(round, PARTITIONS);
            return KafkaSink.builder(broker.bootstrapServers()).topic(round).build();
        }

        @Override
        public void end(String round) {
            broker.deleteTopic(round);
        }

        @Override
        public void close() {
            broker.close();
        }
    }

    /** Nobody. */
    final class None implements ReplayTarget {

        @Override
        public Sink open(String round) {
            return new NullSink();
        }

        @Override
        public void close() {}
    }
}
