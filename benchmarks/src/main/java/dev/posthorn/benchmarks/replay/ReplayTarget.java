package dev.posthorn.benchmarks.replay;

import dev.posthorn.benchmarks.http.WebhookReceiver;
import dev.posthorn.benchmarks.testbed.Broker;
import dev.posthorn.benchmarks.testbed.ChildProgram;
import dev.posthorn.benchmarks.testbed.NullSink;
import dev.posthorn.sink.Sink;
import java.io.IOException;

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

    /** A receiver in a process of its own that answers at once. */
    final class Http implements ReplayTarget {

        private final ChildProgram receiver;
        private final int port;

        private Http() throws IOException {
            this.receiver = WebhookReceiver.startProcess();
            this.port = Integer.parseInt(receiver.awaitLine("ready "));
        }

        @Override
        public Sink open(String round) {
            return WebhookReceiver.sink(port, "/").build();
        }

        @Override
        public void close() {
            receiver.close();
        }
    }

    /** A topic for each round. */
    final class Kafka implements ReplayTarget {

        private final Broker broker;

        private Kafka() throws IOException {
            this.broker = Broker.start();
        }

        @Override
        public Sink open(String round) {
            broker.createTopic(round);
            return broker.sink(round);
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
