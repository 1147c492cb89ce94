package dev.posthorn.kafka;

import static org.awaitility.Awaitility.await;

import dev.posthorn.relay.OwnedLane;
import dev.posthorn.relay.Relay;
import dev.posthorn.subscription.Subscription;
import java.time.Duration;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;

/** A relay from a database to a sink, with one lane unless it is told otherwise. */
final class RelayRun implements AutoCloseable {

    /** What a broker has to answer in: so long that none is sent again because the machine stood still. */
    static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** So long that a lane is not lost meanwhile either: what it has delivered is counted from when it was taken. */
    private static final Duration LEASE = Duration.ofMinutes(2);

    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final WatchedSink sink;
    private final Relay relay;

    private RelayRun(OutboxDatabase database, KafkaSink sink, UnaryOperator<Subscription.Builder> settings) {
        this.sink = new WatchedSink(sink);
        Subscription.Builder subscription =
                Subscription.to("kafka", this.sink).fromBeginning().lanes(1).timeout(TIMEOUT);
        this.relay = Relay.builder(database.dataSource())
                .subscribe(settings.apply(subscription).build())
                .sessionTtl(LEASE)
                .start();
    }

    static RelayRun start(OutboxDatabase database, KafkaSink sink) {
        return start(database, sink, UnaryOperator.identity());
    }

    static RelayRun start(OutboxDatabase database, KafkaSink sink, UnaryOperator<Subscription.Builder> settings) {
        return new RelayRun(database, sink, settings);
    }

    /** For a sink that will not answer: nobody wants to wait for it. */
    static RelayRun startImpatient(OutboxDatabase database, KafkaSink sink) {
        return start(database, sink, settings -> settings.timeout(Duration.ofSeconds(3)));
    }

    WatchedSink sink() {
        return sink;
    }

    long overtaken() {
        return sum(OwnedLane::overtaken);
    }

    long delivered() {
        return sum(OwnedLane::delivered);
    }

    private long sum(ToLongFunction<OwnedLane> counter) {
        return relay.lanes().stream().mapToLong(counter).sum();
    }

    void awaitDelivered(int events) {
        await().atMost(PATIENCE).until(() -> delivered() >= events);
    }

    void awaitOpened(int channels) {
        await().atMost(PATIENCE).until(() -> sink.opened() >= channels);
    }

    void awaitFailure() {
        await().atMost(PATIENCE).until(() -> !sink.failures().isEmpty());
    }

    @Override
    public void close() {
        relay.close();
    }
}
