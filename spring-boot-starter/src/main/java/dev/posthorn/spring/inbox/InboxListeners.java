package dev.posthorn.spring.inbox;

import dev.posthorn.kafka.consumer.InboxConsumer;
import dev.posthorn.spring.InboxListener;
import dev.posthorn.spring.relay.SubscriptionSource;
import dev.posthorn.spring.setup.SetupException;
import dev.posthorn.subscription.Subscription;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Runs a consumer for every method with {@link InboxListener} while the application runs. */
final class InboxListeners implements SubscriptionSource {

    private final ListenerMethods methods;
    private final ConsumerFactory factory;
    private final ListenersRelay relay;
    private @Nullable List<InboxConsumer> consumers;
    private boolean running;

    InboxListeners(ListenerMethods methods, ConsumerFactory factory, ListenersRelay relay) {
        this.methods = methods;
        this.factory = factory;
        this.relay = relay;
    }

    /** Made when the relay asks for their subscriptions, before they take events. */
    private synchronized List<InboxConsumer> consumers() {
        List<InboxConsumer> made = consumers;
        if (made == null) {
            requireDifferentNames(methods.found());
            made = methods.found().stream().map(factory::create).toList();
            consumers = made;
        }
        return made;
    }

    private void requireDifferentNames(List<ListenerMethod> all) {
        Map<String, ListenerMethod> byName = new HashMap<>();
        for (ListenerMethod each : all) {
            String name = factory.name(each);
            ListenerMethod other = byName.put(name, each);
            if (other != null) {
                throw new SetupException(
                        other + " and " + each + " are both the consumer '" + name
                                + "', so that of an event only one of them would be told",
                        "Give each a name of its own: @InboxListener(consumer = …)");
            }
        }
    }

    /** Those that the application's relay is to serve. */
    @Override
    public List<Subscription> subscriptions() {
        return relay.isNeeded() ? List.of() : of(consumers());
    }

    private static List<Subscription> of(List<InboxConsumer> consumers) {
        return consumers.stream()
                .flatMap(consumer -> consumer.subscription().stream())
                .toList();
    }

    /** All or none: what was begun ends again if the next one cannot begin. */
    @Override
    public synchronized void start() {
        running = true;
        try {
            List<InboxConsumer> starting = consumers();
            if (!starting.isEmpty() && relay.isNeeded()) {
                relay.start(of(starting), starting);
            }
            starting.forEach(InboxConsumer::start);
        } catch (RuntimeException e) {
            stop();
            throw e;
        }
    }

    @Override
    public synchronized void stop() {
        if (consumers != null) {
            InboxConsumer.closeAll(consumers);
        }
        consumers = null;
        relay.close();
        running = false;
    }

    @Override
    public synchronized boolean isRunning() {
        return running;
    }
}
