package dev.posthorn.benchmarks.subscriptions;

import dev.posthorn.benchmarks.harness.Output;
import dev.posthorn.benchmarks.harness.Parallel;
import dev.posthorn.benchmarks.harness.Percentiles;
import dev.posthorn.benchmarks.harness.Turn;
import dev.posthorn.benchmarks.testbed.Writers;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A steady load of events that a random group of subscriptions wants each. Times run from when an event was to be published,
 * so that a hub which takes them late is not the better for it, and the rate that came of it is told; those of the first seconds do not count.
 */
final class PacedMix {

    private static final int PUBLISHERS = 8;

    private final CrowdedHub hub;
    private final int rate;
    private final int settlingSeconds;
    private final int seconds;
    private final int flushSeconds;

    PacedMix(CrowdedHub hub, Output output) {
        this.hub = hub;
        this.rate = output.size(500, 100);
        this.settlingSeconds = output.size(5, 0);
        this.seconds = output.size(30, 2);
        // After ten seconds a session that does nothing tells the server's statistics what it has done.
        this.flushSeconds = output.size(12, 2);
    }

    Turn measure() throws IOException, SQLException, InterruptedException {
        Population population = hub.population();
        int[] groups = hub.random()
                .ints((long) rate * (settlingSeconds + seconds), 0, population.groups())
                .toArray();
        Deliveries phase = hub.expect(
                "the paced mix",
                groups.length,
                population.groupSize(),
                (event, subscription) -> population.isIn(subscription, groups[event]));
        List<byte[]> events = hub.events(phase, i -> Population.typeOfGroup(groups[i]));
        RowsWritten before = rowsWritten();
        long period = TimeUnit.SECONDS.toNanos(1) / rate;
        long start = Writers.soon();
        publish(events, start, period);
        double published = events.size() * 1e9 / (System.nanoTime() - start);
        hub.await(phase);
        RowsWritten rows = rowsWritten().since(before);
        Percentiles percentiles = Percentiles.between(
                IntStream.range(rate * settlingSeconds * population.groupSize(), phase.count()),
                i -> start + phase.eventOf(i) * period,
                phase::at);
        return Turn.of("mixP50Millis", percentiles.p50())
                .and("mixP99Millis", percentiles.p99())
                .and("mixPublishedPerSecond", published)
                .and("rowsPerEvent", (double) rows.delivering() / events.size())
                .and("rowsPerEventWithIngest", (double) rows.all() / events.size());
    }

    private void publish(List<byte[]> events, long start, long period) throws InterruptedException {
        List<Callable<@Nullable Void>> publishers = IntStream.range(0, PUBLISHERS)
                .<Callable<@Nullable Void>>mapToObj(publisher -> () -> {
                    for (int i = publisher; i < events.size(); i += PUBLISHERS) {
                        hub.publish(events.get(i), start + i * period);
                    }
                    return null;
                })
                .toList();
        Parallel.run(publishers);
    }

    private RowsWritten rowsWritten() throws IOException, SQLException, InterruptedException {
        TimeUnit.SECONDS.sleep(flushSeconds);
        return RowsWritten.now(hub.database());
    }
}
