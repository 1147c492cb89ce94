package dev.posthorn.faults.attacks;

import dev.posthorn.faults.attacks.client.RestAnswer;
import dev.posthorn.faults.attacks.client.RestConnection;
import dev.posthorn.faults.harness.Crew;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Many who call the hub over REST at the same time, each one call after the other. */
final class Callers {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofMillis(10);

    /** One call, and what is to be noted of its answer. */
    interface Work {
        RestAnswer call(RestConnection connection) throws IOException;
    }

    private Callers() {}

    static void run(int count, String key, Round round, Work work) throws InterruptedException, IOException {
        List<RestConnection> connections = Stream.generate(() -> round.hub().rest(key, PATIENCE))
                .limit(count)
                .toList();
        Crew crew = new Crew();
        connections.forEach(each -> crew.start("caller", () -> callAll(each, round, work)));
        while (!round.isOver()) {
            round.pause(PATIENCE);
        }
        for (RestConnection each : connections) {
            each.abort();
        }
        crew.join();
    }

    private static void callAll(RestConnection connection, Round round, Work work)
            throws IOException, InterruptedException {
        try (connection) {
            while (!round.isOver()) {
                try {
                    round.got().count(work.call(connection).toString());
                } catch (IOException e) {
                    if (!round.isOver()) {
                        round.got().count("connections broken");
                        round.pause(PAUSE);
                    }
                }
            }
        }
    }
}
