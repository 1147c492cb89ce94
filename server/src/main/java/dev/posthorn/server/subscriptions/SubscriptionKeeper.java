package dev.posthorn.server.subscriptions;

import dev.posthorn.error.PosthornException;
import dev.posthorn.server.database.Changes;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.secrets.LockedException;
import dev.posthorn.subscription.Subscription;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has this instance serve what is stored. A subscription that did not change stays the same object, so that its lanes
 * are left alone; one that cannot be served is left out, and its trouble is told to whoever asks.
 */
public final class SubscriptionKeeper implements Changes.Reader {

    private static final Logger log = LoggerFactory.getLogger(SubscriptionKeeper.class);

    private final SubscriptionStore store;
    private final Blueprint blueprint;
    private final Registrar registrar;
    private final RelayKeeper relay;
    private final Map<String, Served> served = new ConcurrentHashMap<>();
    private final Set<String> deleting = ConcurrentHashMap.newKeySet();
    private final List<Consumer<Set<String>>> listeners = new CopyOnWriteArrayList<>();

    SubscriptionKeeper(SubscriptionStore store, Blueprint blueprint, Registrar registrar, RelayKeeper relay) {
        this.store = store;
        this.blueprint = blueprint;
        this.registrar = registrar;
        this.relay = relay;
    }

    /** Why a subscription is not served: {@code locked} or {@code invalid}. */
    record Trouble(State state, String reason) {}

    /**
     * A revision of a subscription, and what became of it here.
     *
     * @param changedAt because after a fail-over a revision that was lost is given out again, to another document
     */
    private record Served(
            long revision,
            Instant changedAt,
            @Nullable Subscription subscription,
            @Nullable Trouble trouble) {

        boolean isOf(SubscriptionRow row) {
            return revision == row.revision() && changedAt.equals(row.changedAt());
        }
    }

    /** Reads all of them again. */
    @Override
    public synchronized void readAll() {
        List<SubscriptionRow> rows = store.table().all();
        Set<String> there = rows.stream().map(SubscriptionRow::name).collect(Collectors.toSet());
        served.keySet().retainAll(there);
        deleting.retainAll(there);
        rows.forEach(this::keep);
        relay.serve(subscriptions(served.keySet()));
        listeners.forEach(each -> each.accept(Set.of()));
    }

    /** Calls it with the names of those that were changed; with none if any may have been. */
    public void onChange(Consumer<Set<String>> listener) {
        listeners.add(listener);
    }

    /** Reads these, and leaves the others as they are. */
    @Override
    public synchronized void read(Set<String> names) {
        List<SubscriptionRow> rows = store.table().named(names);
        Set<String> gone = new HashSet<>(names);
        rows.forEach(row -> gone.remove(row.name()));
        deleting.removeAll(gone);
        Set<String> changed = new HashSet<>(gone);
        changed.retainAll(served.keySet());
        served.keySet().removeAll(gone);
        rows.stream().filter(this::keep).forEach(row -> changed.add(row.name()));
        if (!changed.isEmpty()) {
            relay.serveInstead(changed, subscriptions(changed));
        }
        if (!names.isEmpty()) {
            listeners.forEach(each -> each.accept(names));
        }
    }

    /** Whether something else is to be served then. */
    private boolean keep(SubscriptionRow row) {
        if (row.deleting()) {
            deleting.add(row.name());
            return served.remove(row.name()) != null;
        }
        deleting.remove(row.name());
        Served now = served(row);
        return !now.equals(served.put(row.name(), now));
    }

    /** Those of these names that can be served. */
    private List<Subscription> subscriptions(Set<String> names) {
        return names.stream()
                .flatMap(name -> Stream.ofNullable(served.get(name)))
                .flatMap(each -> Stream.ofNullable(each.subscription()))
                .toList();
    }

    /** Puts those into the relay's tables that are not there, or not as they are stored. */
    void putBack() {
        store.astray().stream()
                .flatMap(row -> Stream.ofNullable(built(row).subscription()))
                .forEach(registrar::put);
    }

    /** What failed is tried again when it is read again: another instance may have encrypted it by a key that is here. */
    private Served served(SubscriptionRow row) {
        Served before = served.get(row.name());
        if (before != null && before.isOf(row) && before.trouble() == null) {
            return before;
        }
        Served now = built(row);
        Trouble trouble = now.trouble();
        if (trouble != null && (before == null || !trouble.equals(before.trouble()))) {
            log.warn("Subscription {} is {} and not served: {}", row.name(), trouble.state(), trouble.reason());
        }
        return now;
    }

    private Served built(SubscriptionRow row) {
        try {
            return new Served(row.revision(), row.changedAt(), blueprint.subscription(row), null);
        } catch (LockedException e) {
            return troubled(row, State.LOCKED, e.reason());
        } catch (ProblemException e) {
            return troubled(row, State.INVALID, e.problem().detail());
        } catch (PosthornException e) {
            return troubled(row, State.INVALID, String.valueOf(e.getMessage()));
        }
    }

    private static Served troubled(SubscriptionRow row, State state, String reason) {
        return new Served(row.revision(), row.changedAt(), null, new Trouble(state, reason));
    }

    /** Why this instance does not serve it, or would not if it has not read it yet; null if it does. */
    @Nullable
    Trouble trouble(SubscriptionRow row) {
        Served here = served.get(row.name());
        return here != null && here.isOf(row) ? here.trouble() : built(row).trouble();
    }

    /** Whether this instance serves that revision of it. */
    boolean isServedAt(String name, long revision) {
        Served here = served.get(name);
        return here != null && here.revision() == revision && here.subscription() != null;
    }

    /** Those that wait to be removed, when last looked. */
    Set<String> deleting() {
        return Set.copyOf(deleting);
    }
}
