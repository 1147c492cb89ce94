package dev.posthorn.server.subscriptions.definition;

import dev.posthorn.server.problem.Violation;
import dev.posthorn.server.subscriptions.sinks.SinkDocument;
import dev.posthorn.subscription.Subscription;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Looks up for many subscriptions at a time whether anything may be sent there. Each may wait for a name server; so several are
 * asked at once, and each sink once.
 */
public final class Lookups {

    private static final int AT_A_TIME = 32;

    /** For all together. A name that is not found by then is looked at again at every connect, as one that is not found. */
    private static final Duration LONGEST = Duration.ofSeconds(20);

    private final SubscriptionFactory factory;
    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            AT_A_TIME, AT_A_TIME, 5, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), Lookups::thread);

    public Lookups(SubscriptionFactory factory) {
        this.factory = factory;
        threads.allowCoreThreadTimeOut(true);
    }

    /** Where something is to be sent: as it was asked for, and as it was built. */
    public record Destination(SinkDocument sink, Subscription subscription) {}

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "posthorn-lookup");
        thread.setDaemon(true);
        return thread;
    }

    /** Why nothing may be sent, for each of them in their order. */
    public List<Optional<Violation>> refusals(List<Destination> destinations) {
        Map<SinkDocument, CompletableFuture<Optional<Violation>>> asked = new LinkedHashMap<>();
        destinations.forEach(each -> asked.computeIfAbsent(each.sink(), sink -> begun(each)));
        return destinations.stream()
                .map(each -> Objects.requireNonNull(asked.get(each.sink())).join())
                .toList();
    }

    private CompletableFuture<Optional<Violation>> begun(Destination destination) {
        return CompletableFuture.supplyAsync(
                        () -> factory.refusal(destination.sink(), destination.subscription()), threads)
                .completeOnTimeout(Optional.empty(), LONGEST.toMillis(), TimeUnit.MILLISECONDS);
    }
}
