package dev.posthorn.faults.attacks;

import dev.posthorn.faults.attacks.client.Http2Connection;
import dev.posthorn.faults.harness.Crew;
import java.io.IOException;

/** Opens calls and resets them at once. */
final class Resets implements Attack {

    private static final int CONNECTIONS = 8;

    @Override
    public String name() {
        return "resets";
    }

    @Override
    public String sentence() {
        return "8 connections over gRPC that open calls without a key and reset them at once";
    }

    @Override
    public void run(Round round) {
        round.repeat(CONNECTIONS, "resets", () -> resetMany(round));
    }

    private static void resetMany(Round round) throws IOException {
        try (Http2Connection connection = new Http2Connection(round.hub().grpcPort())) {
            Crew reader = new Crew();
            reader.start("resets-reader", () -> readToTheEnd(connection));
            for (int stream = 1; !round.isOver(); stream += 2) {
                connection.openCall(stream);
                connection.reset(stream);
                round.got().count("calls reset");
            }
        } catch (IOException closed) {
            round.got().count("connections closed by the hub");
        }
    }

    private static void readToTheEnd(Http2Connection connection) {
        try {
            connection.read(stream -> {});
        } catch (IOException closed) {
            // Whoever writes notices.
        }
    }
}
