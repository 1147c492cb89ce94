package dev.posthorn.kafka;

import static org.awaitility.Awaitility.await;

import dev.posthorn.relay.Lane;
import dev.posthorn.relay.Relay;
import dev.posthorn.relay.Subscription;
import java.time.Duration;

/** A relay with one lane from a database to a sink. */
final class RelayRun implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final WatchedSink sink;
    private final Relay relay;
    private final Lane lane;

    private RelayRun(OutboxDatabase database, KafkaSink sink, Duration timeout) {
        this.sink = new WatchedSink(sink);
        this.relay = Relay.builder(database.dataSource())
                .workers(1)
                .subscribe(Subscription.to("kafka", this.sink)
                        .fromBeginning()
                        .lanes(1)
                        .timeout(timeout)
                        .build())
                .start();
        this.lane = relay.lanes().get(0);
    }

    static RelayRun start(OutboxDatabase database, KafkaSink sink) {
        return new RelayRun(database, sink, Duration.ofSeconds(10));
    }

    /** For a sink that will not answer: nobody wants to wait for it. */
    static RelayRun startImpatient(OutboxDatabase database, KafkaSink sink) {
        return new RelayRun(database, sink, Duration.ofSeconds(3));
    }

    WatchedSink sink() {
        return sink;
    }

    long overtaken() {
        return lane.counters().overtaken();
    }

    long delivered() {
        return lane.counters().delivered();
    }

    void awaitDelivered(int events) {
        await().atMost(PATIENCE).until(() -> delivered() >= events);
    }

    void awaitStopped() {
        await().atMost(PATIENCE).until(() -> lane.state() == Lane.State.STOPPED);
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
