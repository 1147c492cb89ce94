package dev.posthorn.spring;

import dev.posthorn.log.Filter;
import dev.posthorn.relay.Subscription;
import dev.posthorn.sink.Sink;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Makes subscriptions of {@code posthorn.subscriptions}. */
final class SubscriptionFactory {

    private final PosthornProperties properties;
    private final SinkFactory sinks;

    SubscriptionFactory(PosthornProperties properties, SinkFactory sinks) {
        this.properties = properties;
        this.sinks = sinks;
    }

    Subscription create(String name) {
        SubscriptionProperties its = properties.subscriptions().get(name);
        if (its == null) {
            throw new SetupException(
                    "posthorn.subscriptions." + name + " cannot be read as a subscription",
                    "Give it a sink, e.g. posthorn.subscriptions." + name + ".kafka.topic");
        }
        return subscription(name, its, sinks.create("posthorn.subscriptions." + name, its));
    }

    private static Subscription subscription(String name, SubscriptionProperties its, Sink sink) {
        Subscription.Builder builder = Subscription.to(name, sink)
                .filter(new Filter(its.types(), its.aggregateTypes(), its.sources(), its.headers()))
                .retry(its.retry().policy());
        if (its.start() == SubscriptionProperties.Start.BEGINNING) {
            builder.fromBeginning();
        }
        ifGiven(its.timeout(), builder::timeout);
        ifGiven(its.ratePerSecond(), builder::ratePerSecond);
        ifGiven(its.ordering(), builder::ordering);
        ifGiven(its.lanes(), builder::lanes);
        ifGiven(its.afterDeadLetter(), builder::afterDeadLetter);
        ifGiven(its.whenUnavailable(), builder::whenUnavailable);
        ifGiven(its.batchSize(), builder::batchSize);
        ifGiven(its.inFlightLimit(), builder::inFlightLimit);
        ifGiven(its.leaseTtl(), builder::leaseTtl);
        ifGiven(its.breakerAfter(), builder::breakerAfter);
        ifGiven(its.blockedKeysLimit(), builder::blockedKeysLimit);
        ifGiven(its.keepAttempts(), builder::keepAttempts);
        return builder.build();
    }

    private static <T> void ifGiven(@Nullable T value, Consumer<T> setting) {
        if (value != null) {
            setting.accept(value);
        }
    }
}
