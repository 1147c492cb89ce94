package dev.posthorn.faults.attacks;

import dev.posthorn.faults.attacks.client.RestConnection;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Asks for the hub's liveness ten times a second, by a new connection each time and on one that is kept. */
final class LivenessWatch {

    private static final Duration EVERY = Duration.ofMillis(100);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final AtomicLong worst = new AtomicLong();
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();

    void askOnNewConnections(Round round) throws InterruptedException {
        while (!round.isOver()) {
            try (RestConnection anybody = round.hub().rest("", PATIENCE)) {
                ask(anybody);
            } catch (IOException e) {
                failed.incrementAndGet();
            }
            round.pause(EVERY);
        }
    }

    void askOnOneConnection(Round round) throws InterruptedException, IOException {
        try (RestConnection kept = round.hub().rest("", PATIENCE)) {
            while (!round.isOver()) {
                try {
                    ask(kept);
                } catch (IOException e) {
                    failed.incrementAndGet();
                }
                round.pause(EVERY);
            }
        }
    }

    private void ask(RestConnection connection) throws IOException {
        long begun = System.nanoTime();
        asked.incrementAndGet();
        try {
            if (!connection.get("/actuator/health/liveness").isServed()) {
                failed.incrementAndGet();
            }
        } finally {
            worst.accumulateAndGet(System.nanoTime() - begun, Math::max);
        }
    }

    Duration worst() {
        return Duration.ofNanos(worst.get());
    }

    /** How it was not alive enough. */
    List<String> late(Duration slowest) {
        List<String> late = new ArrayList<>();
        if (failed.get() > 0) {
            late.add("liveness failed " + failed + " times of " + asked);
        }
        if (worst().compareTo(slowest) > 0) {
            late.add("liveness took " + worst().toMillis() + " ms");
        }
        return late;
    }
}
