package dev.posthorn.spring.relay;

import dev.posthorn.relay.Relay;
import dev.posthorn.spring.outbox.RunningRelay;
import dev.posthorn.spring.settings.PosthornProperties;
import dev.posthorn.spring.setup.DataSources;
import dev.posthorn.subscription.RelayListener;
import dev.posthorn.subscription.Subscription;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

/** Runs the relay of this process while the application runs. */
final class RelayRunner implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(RelayRunner.class);

    /** Before a web server takes requests, and until after it has ended the last one. */
    static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 4096;

    private final DataSources dataSources;
    private final PosthornProperties properties;
    private final String application;
    private final Supplier<Stream<Subscription>> subscriptions;
    private final ObjectProvider<RelayListener> listeners;
    private final RunningRelay relay;
    private @Nullable RelayConnections connections;

    /** @param application in whose name it asks for things to be kept */
    RelayRunner(
            DataSources dataSources,
            PosthornProperties properties,
            String application,
            Supplier<Stream<Subscription>> subscriptions,
            ObjectProvider<RelayListener> listeners,
            RunningRelay relay) {
        this.dataSources = dataSources;
        this.properties = properties;
        this.application = application;
        this.subscriptions = subscriptions;
        this.listeners = listeners;
        this.relay = relay;
    }

    @Override
    public synchronized void start() {
        if (isRunning()) {
            return;
        }
        PosthornProperties.Relay settings = properties.relay();
        RelayConnections opened =
                RelayConnections.of(dataSources.ofRelay(), settings.pool(), "posthorn-relay", settings.workers());
        try {
            relay.set(builder(opened).start());
            connections = opened;
        } catch (RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    private Relay.Builder builder(RelayConnections opened) {
        PosthornProperties.Relay settings = properties.relay();
        Relay.Builder builder = Relay.builder(opened.dataSource())
                .schema(properties.schema().name())
                .workers(settings.workers())
                .retention(application, settings.retention().retention());
        if (settings.instance() != null) {
            builder.instance(settings.instance());
        }
        if (settings.sessionTtl() != null) {
            builder.sessionTtl(settings.sessionTtl());
        }
        listeners.orderedStream().forEach(builder::listener);
        List<Subscription> all = subscriptions.get().toList();
        if (all.isEmpty()) {
            log.warn(
                    "posthorn.role is {}, but there is nobody to deliver to: no posthorn.subscriptions.<name>, no bean"
                            + " of type Subscription, no @InboxListener. Events are recorded and sent to nobody; if others"
                            + " deliver them, set posthorn.role=writer",
                    properties.role().name().toLowerCase(Locale.ROOT));
        }
        all.forEach(builder::subscribe);
        return builder;
    }

    @Override
    public synchronized void stop() {
        Relay running = relay.get();
        relay.set(null);
        if (running != null) {
            running.close();
        }
        if (connections != null) {
            connections.close();
            connections = null;
        }
    }

    @Override
    public boolean isRunning() {
        return relay.get() != null;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
