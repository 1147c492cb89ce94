package dev.posthorn.server.subscriptions;

import dev.posthorn.relay.Relay;
import dev.posthorn.relay.retention.Retention;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.database.DatabaseKeeper;
import dev.posthorn.server.database.InstanceFile;
import dev.posthorn.server.settings.HubSettings;
import dev.posthorn.subscription.RelayListener;
import dev.posthorn.subscription.Subscription;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/** Starts the relay once the database is there, hands it what it is to serve, and stops it before the database goes. */
public final class RelayKeeper implements SmartLifecycle {

    private final Database database;
    private final List<RelayListener> listeners;
    private final HubSettings settings;
    private final Map<String, Subscription> wanted = new LinkedHashMap<>();
    private boolean stopped;
    private volatile @Nullable Relay relay;
    private volatile boolean running;

    public RelayKeeper(Database database, DatabaseKeeper keeper, List<RelayListener> listeners, HubSettings settings) {
        this.database = database;
        this.listeners = List.copyOf(listeners);
        this.settings = settings;
        if (settings.relay().enabled()) {
            keeper.onceReady(this::begin);
        }
    }

    private synchronized void begin() {
        if (stopped) {
            return;
        }
        String instance = settings.relay().instance();
        Relay started = start(instance == null ? UUID.randomUUID().toString() : instance);
        started.serve(List.copyOf(wanted.values()));
        relay = started;
    }

    /** Whoever has the embedded PostgreSQL's directory is alone there: the one before has ended, however it did. */
    private Relay start(String instance) {
        Relay.Builder builder = builder().instance(instance);
        if (database.embedded() == null) {
            return builder.start();
        }
        InstanceFile file = new InstanceFile(settings.data());
        file.last().ifPresent(builder::successorOf);
        Relay started = builder.start();
        file.write(instance);
        return started;
    }

    private Relay.Builder builder() {
        Relay.Builder builder = Relay.builder(database.direct())
                .schema(database.schema().name())
                .workers(settings.relay().workers())
                .sessionTtl(settings.relay().sessionTtl())
                .retention("hub", retention(settings.retention()))
                .onlyRegistered();
        listeners.forEach(builder::listener);
        return builder;
    }

    static Retention retention(HubSettings.Retention kept) {
        return new Retention(
                kept.log(),
                kept.attempts(),
                kept.deadLetters(),
                kept.dedupPeriod(),
                Retention.defaults().interval());
    }

    /** Serves these from now on, and no others. */
    synchronized void serve(List<Subscription> subscriptions) {
        wanted.clear();
        subscriptions.forEach(each -> wanted.put(each.name(), each));
        Relay started = relay;
        if (started != null) {
            started.serve(subscriptions);
        }
    }

    /** Of these names it serves these from now on, and no others. */
    synchronized void serveInstead(Set<String> names, List<Subscription> subscriptions) {
        wanted.keySet().removeAll(names);
        subscriptions.forEach(each -> wanted.put(each.name(), each));
        Relay started = relay;
        if (started != null) {
            started.serveInstead(names, subscriptions);
        }
    }

    /** Something was committed: look at the log now instead of at the next poll. */
    public void wake() {
        Relay started = relay;
        if (started != null) {
            started.wake();
        }
    }

    /** Something was asked of lanes: those of this instance see to it now instead of at their next look. */
    public void tend() {
        Relay started = relay;
        if (started != null) {
            started.tend();
        }
    }

    /** The relay, once it is started; null on an instance that does not deliver. */
    public @Nullable Relay relay() {
        return relay;
    }

    @Override
    public void start() {
        running = true;
    }

    /** What was sent is answered and settled, and the lanes are free for others. */
    @Override
    public void stop() {
        running = false;
        Relay started;
        synchronized (this) {
            stopped = true;
            started = relay;
        }
        if (started != null) {
            started.close();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** After the database, and before the listeners; the other way round at the end. */
    @Override
    public int getPhase() {
        return 2;
    }
}
