package dev.posthorn.faults.attacks;

import dev.posthorn.faults.attacks.client.Http2Connection;
import dev.posthorn.faults.harness.Crew;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/** Begins large messages to a service that everybody may call, and finishes none. */
final class BegunMessages implements Attack {

    private static final int CONNECTIONS = 100;
    private static final int LARGE_CALLS = 17;
    private static final int CALLS = 80;
    private static final int LENGTH = 16_000_000;

    /** Of a large message: a little less than is refused at once. */
    private static final int LARGE = 60_000;

    /** Of a small one: they take the room that the large ones leave between them. */
    private static final int SMALL = 100;

    private static final Duration PAUSE = Duration.ofMillis(50);

    @Override
    public String name() {
        return "begun-messages";
    }

    @Override
    public String sentence() {
        return "100 connections with 80 calls each of gRPC's health, without a key, that begin messages of 16 MB and"
                + " finish none; 17 of the 80 say 60,000 bytes";
    }

    @Override
    public void run(Round round) {
        round.repeat(CONNECTIONS, "begun", () -> {
            beginMany(round);
            round.pause(PAUSE);
        });
    }

    private static void beginMany(Round round) throws InterruptedException {
        try (Http2Connection connection = new Http2Connection(round.hub().grpcPort())) {
            Calls calls = new Calls(round, connection);
            Crew reader = new Crew();
            reader.start("begun-reader", calls::read);
            while (!round.isOver() && !calls.closed) {
                calls.begin();
                round.pause(PAUSE);
            }
        } catch (IOException closed) {
            round.got().count("connections closed by the hub");
        }
    }

    /** Those of one connection. */
    private static final class Calls {

        private final Round round;
        private final Http2Connection connection;
        private final Deque<Integer> toBegin = new ArrayDeque<>();
        private int next = 1;
        private int under;
        private volatile boolean closed;

        Calls(Round round, Http2Connection connection) {
            this.round = round;
            this.connection = connection;
        }

        synchronized void begin() throws IOException {
            for (; under < CALLS; under++) {
                connection.openCall(next);
                toBegin.add(next);
                next += 2;
                round.got().count("calls begun");
            }
            while (!toBegin.isEmpty() && connection.send(toBegin.element(), beginning(toBegin.element()))) {
                toBegin.remove();
                round.got().count("messages begun");
            }
            connection.flush();
        }

        /** Streams have the odd numbers. */
        private static byte[] beginning(int stream) {
            int length = stream / 2 % CALLS < LARGE_CALLS ? LARGE : SMALL;
            return ByteBuffer.allocate(length).put((byte) 0).putInt(LENGTH).array();
        }

        void read() {
            try {
                connection.read(this::end);
            } catch (IOException over) {
                // Whoever writes notices.
            }
            closed = true;
        }

        private synchronized void end(int stream) {
            round.got().count("calls ended by the hub");
            toBegin.remove(stream);
            under--;
        }
    }
}
