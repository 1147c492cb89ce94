package dev.posthorn.spring.testing;

import dev.posthorn.sink.Sink;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.testing.RecordingSink;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What stands in the place of the sinks of the application's subscriptions. */
public final class RecordingSinks {

    private final Map<String, RecordingSink> byName = new LinkedHashMap<>();
    private final List<Subscription> subscriptions;

    RecordingSinks(List<Subscription> real) {
        this.subscriptions = real.stream().map(this::replaced).toList();
    }

    /** The sink in the place of this subscription's. */
    public RecordingSink of(String subscription) {
        RecordingSink sink = byName.get(subscription);
        if (sink == null) {
            throw new IllegalArgumentException(
                    "there is no subscription '" + subscription + "'; the application has " + byName.keySet());
        }
        return sink;
    }

    List<Subscription> subscriptions() {
        return subscriptions;
    }

    private Subscription replaced(Subscription its) {
        RecordingSink sink = its.sink().keepsOrder() ? RecordingSink.pipelined() : RecordingSink.oneAtATime();
        byName.put(its.name(), sink);
        return with(its, sink);
    }

    private static Subscription with(Subscription its, Sink sink) {
        return new Subscription(
                its.name(),
                its.filter(),
                sink,
                its.lanes(),
                its.startAt(),
                its.batchSize(),
                its.pollLeast(),
                its.pollMost(),
                its.inFlightLimit(),
                its.inFlightBytes(),
                its.timeout(),
                its.retry(),
                its.ordering(),
                its.afterDeadLetter(),
                its.whenUnavailable(),
                its.breakerAfter(),
                its.blockedKeysLimit(),
                its.keepAttempts(),
                its.ratePerSecond(),
                its.revision());
    }
}
