package dev.posthorn.kafka;

import static org.awaitility.Awaitility.await;

import dev.posthorn.relay.Lane;
import dev.posthorn.relay.LaneCounters;
import dev.posthorn.relay.Relay;
import dev.posthorn.relay.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;

/** A relay from a database to a sink, with one lane unless it is told otherwise. */
final class RelayRun implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final WatchedSink sink;
    private final Relay relay;
    private final List<Lane> lanes;

    private RelayRun(OutboxDatabase database, KafkaSink sink, UnaryOperator<Subscription.Builder> settings) {
        this.sink = new WatchedSink(sink);
        Subscription.Builder subscription =
                Subscription.to("kafka", this.sink).fromBeginning().lanes(1);
        this.relay = Relay.builder(database.dataSource())
                .subscribe(settings.apply(subscription).build())
                .start();
        this.lanes = relay.lanes();
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
        return sum(LaneCounters::overtaken);
    }

    long delivered() {
        return sum(LaneCounters::delivered);
    }

    private long sum(ToLongFunction<LaneCounters> counter) {
        return lanes.stream().map(Lane::counters).mapToLong(counter).sum();
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
