package dev.posthorn.spring.relay;

import dev.posthorn.log.Filter;
import dev.posthorn.sink.Sink;
import dev.posthorn.spring.settings.PosthornProperties;
import dev.posthorn.spring.settings.SubscriptionProperties;
import dev.posthorn.spring.setup.SetupException;
import dev.posthorn.subscription.Subscription;
import org.springframework.boot.context.properties.PropertyMapper;

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
        PropertyMapper given = PropertyMapper.get();
        given.from(its.timeout()).to(builder::timeout);
        given.from(its.ratePerSecond()).to(builder::ratePerSecond);
        given.from(its.ordering()).to(builder::ordering);
        given.from(its.lanes()).to(builder::lanes);
        given.from(its.afterDeadLetter()).to(builder::afterDeadLetter);
        given.from(its.whenUnavailable()).to(builder::whenUnavailable);
        given.from(its.batchSize()).to(builder::batchSize);
        given.from(its.inFlightLimit()).to(builder::inFlightLimit);
        given.from(its.breakerAfter()).to(builder::breakerAfter);
        given.from(its.blockedKeysLimit()).to(builder::blockedKeysLimit);
        given.from(its.keepAttempts()).to(builder::keepAttempts);
        return builder.build();
    }
}
