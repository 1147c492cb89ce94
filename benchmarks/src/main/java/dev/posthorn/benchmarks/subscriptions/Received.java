package dev.posthorn.benchmarks.subscriptions;

import dev.posthorn.benchmarks.http.WebhookReceiver;
import dev.posthorn.benchmarks.http.WebhookRequest;
import dev.posthorn.benchmarks.testbed.SampleEvents;
import org.jspecify.annotations.Nullable;

/** Takes what comes to any of the subscriptions, each of which has a path of its own, for the phase that waits for it. */
final class Received implements WebhookReceiver.Handler {

    static final String PATH = "/s/";

    private volatile @Nullable Deliveries awaited;
    private int published;

    /** To be called before the first of them is published; gives them the next numbers. */
    Deliveries expect(String what, int events, int each, Wish wish) {
        Deliveries next = new Deliveries(what, published, events, each, wish);
        published += events;
        awaited = next;
        return next;
    }

    @Override
    public long received(WebhookRequest request) {
        long now = System.nanoTime();
        Deliveries phase = awaited;
        if (phase != null) {
            String path = request.path();
            int subscription = Integer.parseInt(path, PATH.length(), path.length(), 10);
            phase.received(SampleEvents.orderOf(request.body()), subscription, now);
        }
        return 0;
    }
}
