package dev.posthorn.benchmarks.subscriptions;

import dev.posthorn.benchmarks.harness.Output;
import dev.posthorn.benchmarks.harness.Parallel;
import dev.posthorn.benchmarks.harness.Patience;
import dev.posthorn.benchmarks.harness.Stopwatch;
import dev.posthorn.benchmarks.harness.Turn;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Makes the subscriptions by the bulk form and waits until all are served; then some others by single calls, of one caller
 * and of several, which go again.
 */
final class Making {

    private static final String SUBSCRIPTIONS = "/v1/subscriptions";
    private static final String EXTRA = SUBSCRIPTIONS + "/extra-";
    private static final Set<Integer> GONE = Set.of(404);
    private static final byte[] NOTHING = new byte[0];
    private static final Duration LOOK = Duration.ofMillis(100);
    private static final int SENDERS = 8;
    private static final int DELETERS = 32;

    /** For so many of all callers there is one of a single caller, which takes longer. */
    private static final int SHARE = 20;

    private final CrowdedHub hub;
    private final int singles;

    Making(CrowdedHub hub, Output output) {
        this.hub = hub;
        this.singles = output.size(2_000, 40);
    }

    Turn measure() throws Exception {
        Stopwatch bulk = new Stopwatch();
        for (byte[] document : hub.population().documents()) {
            hub.calls().require(Set.of(201), "POST", SUBSCRIPTIONS, document);
        }
        double bulkSeconds = bulk.seconds();
        Stopwatch served = new Stopwatch();
        hub.awaitAll("the first event for all");
        double servedSeconds = served.seconds();
        double bySeveral = putsPerSecond(SENDERS, 0, singles);
        double byOne = putsPerSecond(1, singles, singles + singles / SHARE);
        delete(singles + singles / SHARE);
        return Turn.of("bulkSeconds", bulkSeconds)
                .and("servedSeconds", servedSeconds)
                .and("putsPerSecond", bySeveral)
                .and("putsPerSecondOfOne", byOne);
    }

    private double putsPerSecond(int senders, int from, int to) throws Exception {
        Stopwatch single = new Stopwatch();
        call(
                senders,
                from,
                to,
                i -> hub.calls()
                        .require(Set.of(201), "PUT", EXTRA + i, hub.population().document(i)));
        return (to - from) / single.seconds();
    }

    private interface Call {
        void of(int number) throws Exception;
    }

    private static void call(int senders, int from, int to, Call call) throws Exception {
        List<Callable<@Nullable Void>> all = IntStream.range(0, senders)
                .<Callable<@Nullable Void>>mapToObj(sender -> () -> {
                    for (int i = from + sender; i < to; i += senders) {
                        call.of(i);
                    }
                    return null;
                })
                .toList();
        Parallel.run(all);
    }

    /** Each takes up to five seconds: its instance has to let go first. */
    private void delete(int count) throws Exception {
        call(DELETERS, 0, count, i -> hub.calls().require(Set.of(202, 204), "DELETE", EXTRA + i, NOTHING));
        for (int i = 0; i < count; i++) {
            String path = EXTRA + i;
            Patience.until(LOOK, () -> path + " is not gone", () -> isGone(path));
        }
    }

    private boolean isGone(String path) throws IOException, InterruptedException {
        return GONE.contains(hub.calls().require(Set.of(200, 404), "GET", path, NOTHING));
    }
}
