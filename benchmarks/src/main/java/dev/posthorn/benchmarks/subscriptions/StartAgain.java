package dev.posthorn.benchmarks.subscriptions;

import dev.posthorn.benchmarks.harness.Patience;
import dev.posthorn.benchmarks.harness.Stopwatch;
import dev.posthorn.benchmarks.harness.Turn;
import java.time.Duration;

/** From the start of a process, on the data of a hub that was ended, until an event comes to one of its subscriptions. */
final class StartAgain {

    private static final Duration LOOK = Duration.ofMillis(20);

    private final CrowdedHub hub;

    StartAgain(CrowdedHub hub) {
        this.hub = hub;
    }

    Turn measure() throws Exception {
        Stopwatch ending = new Stopwatch();
        hub.stop();
        double endSeconds = ending.seconds();
        int wanting = hub.random().nextInt(hub.population().count());
        Deliveries one = hub.expect(
                "an event for " + Population.nameOf(wanting) + " after a start",
                1,
                1,
                (event, subscription) -> subscription == wanting);
        byte[] event = hub.events(one, i -> Population.typeOf(wanting)).get(0);
        long started = System.nanoTime();
        hub.startAgain();
        Patience.until(LOOK, () -> "The hub takes no event", () -> hub.calls().tryToPublish(event));
        hub.await(one);
        double startSeconds = (one.lastAt() - started) / 1e9;
        hub.awaitAll("an event for all after a start");
        return Turn.of("startSeconds", startSeconds)
                .and("startAllSeconds", (System.nanoTime() - started) / 1e9)
                .and("endSeconds", endSeconds);
    }
}
