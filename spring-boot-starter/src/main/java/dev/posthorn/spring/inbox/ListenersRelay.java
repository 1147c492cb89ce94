package dev.posthorn.spring.inbox;

import dev.posthorn.kafka.consumer.InboxConsumer;
import dev.posthorn.relay.Relay;
import dev.posthorn.spring.relay.RelayConnections;
import dev.posthorn.spring.settings.PosthornProperties;
import dev.posthorn.spring.setup.DataSources;
import dev.posthorn.subscription.Subscription;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One relay for all listeners, where the application's own does not serve them: in an application that only writes, and
 * where the relay delivers from another database than the one that listeners have their effects in. It replays their dead
 * letters and forgets their old inbox entries; the rest of the schema is others' business.
 */
final class ListenersRelay implements AutoCloseable {

    /** Its threads that deliver, each with a connection. */
    private static final int WORKERS = 1;

    private final DataSources dataSources;
    private final PosthornProperties properties;
    private @Nullable RelayConnections connections;
    private @Nullable Relay relay;

    ListenersRelay(DataSources dataSources, PosthornProperties properties) {
        this.dataSources = dataSources;
        this.properties = properties;
    }

    boolean isNeeded() {
        return !properties.role().delivers() || dataSources.isRelayElsewhere();
    }

    void start(List<Subscription> subscriptions, List<InboxConsumer> consumers) {
        Set<String> names = consumers.stream()
                .flatMap(consumer -> consumer.inboxNames().stream())
                .collect(Collectors.toSet());
        if (subscriptions.isEmpty() && names.isEmpty()) {
            return;
        }
        connections = RelayConnections.of(
                dataSources.ofListenersRelay(), properties.relay().pool(), "posthorn-listeners", WORKERS);
        Relay.Builder builder = Relay.builder(connections.dataSource())
                .schema(properties.schema().name())
                .workers(WORKERS)
                .onlyInboxOf(names, properties.listenersEntries());
        subscriptions.forEach(builder::subscribe);
        relay = builder.start();
    }

    @Override
    public void close() {
        if (relay != null) {
            relay.close();
            relay = null;
        }
        if (connections != null) {
            connections.close();
            connections = null;
        }
    }
}
