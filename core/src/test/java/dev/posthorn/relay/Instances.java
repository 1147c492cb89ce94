package dev.posthorn.relay;

import dev.posthorn.TestDatabase;
import dev.posthorn.event.Event;
import dev.posthorn.log.Guards;
import dev.posthorn.log.SchemaName;
import dev.posthorn.testing.RecordingSink;
import dev.posthorn.testing.SettableClock;
import dev.posthorn.testing.SteppedRelay;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Instances of a relay on one database, stepped by hand, with one clock for all. */
final class Instances {

    static final Duration TTL = Duration.ofSeconds(30);

    final TestDatabase database;
    final SettableClock clock;
    final RecordingSink sink;
    private final Guards guards;
    private final List<RelayListener> listeners = new ArrayList<>();

    Instances(RecordingSink sink, Guards guards) {
        this.database = TestDatabase.create();
        this.clock = SettableClock.at(Instant.parse("2026-01-01T00:00:00Z"), database.dataSource(), SchemaName.DEFAULT);
        this.sink = sink;
        this.guards = guards;
    }

    SteppedRelay start(String instance, int lanes) {
        return start(instance, subscription -> subscription.lanes(lanes));
    }

    SteppedRelay start(String instance, UnaryOperator<Subscription.Builder> settings) {
        Subscription subscription =
                settings.apply(Subscription.to("test", sink).leaseTtl(TTL)).build();
        Relay.Builder relay = Relay.builder(database.dataSource())
                .subscribe(subscription)
                .instance(instance)
                .guards(guards);
        listeners.forEach(relay::listener);
        return SteppedRelay.of(relay, clock).pass();
    }

    void listener(RelayListener listener) {
        listeners.add(listener);
    }

    /** An event that is not to be delivered before so long from now. */
    void recordDeferred(String key, Duration fromNow) {
        database.record(Event.builder()
                .source("test")
                .type("test.happened")
                .key(key)
                .json("{}")
                .deliverAt(clock.instant().plus(fromNow))
                .build());
    }

    /** The keys that the sink was handed, in that order. */
    List<String> keys() {
        return sink.received().stream()
                .map(e -> String.valueOf(e.event().key()))
                .toList();
    }

    Subscriptions subscriptions() {
        return new Subscriptions(database.dataSource(), SchemaName.DEFAULT);
    }

    /** The only subscription as it is stored. */
    Subscriptions.Stored stored() {
        return subscriptions().list().get(0);
    }

    long owned(String instance) {
        return database.number("SELECT count(*) FROM posthorn.lane_lease WHERE owner = '" + instance + "'");
    }
}
