package dev.posthorn.server.subscriptions;

import dev.posthorn.error.PosthornException;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.secrets.LockedException;
import dev.posthorn.subscription.Subscription;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has this instance serve what is stored. A subscription that did not change stays the same object, so that its lanes
 * are left alone; one that cannot be served is left out, and its trouble is told to whoever asks.
 */
public final class SubscriptionKeeper {

    private static final Logger log = LoggerFactory.getLogger(SubscriptionKeeper.class);

    private final SubscriptionStore store;
    private final Blueprint blueprint;
    private final Registrar registrar;
    private final RelayKeeper relay;
    private volatile Map<String, Served> served = Map.of();
    private volatile Set<String> deleting = Set.of();

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

    /** Reads all of them again. One that could not be registered does not keep the others from being served. */
    public synchronized void read() {
        List<SubscriptionRow> rows = store.table().all();
        Map<String, Served> next = new HashMap<>();
        List<PosthornException> failures = new ArrayList<>();
        rows.stream().filter(row -> !row.deleting()).forEach(row -> {
            Served here = served(row);
            next.put(row.name(), here);
            Subscription subscription = here.subscription();
            if (!row.registered() && subscription != null) {
                attempt(() -> registrar.register(subscription), failures);
            }
        });
        served = Map.copyOf(next);
        deleting = rows.stream()
                .filter(SubscriptionRow::deleting)
                .map(SubscriptionRow::name)
                .collect(Collectors.toUnmodifiableSet());
        relay.serve(next.values().stream()
                .flatMap(each -> Stream.ofNullable(each.subscription()))
                .toList());
        if (!failures.isEmpty()) {
            throw failures.get(0);
        }
    }

    /** Asks for what is stored where an instance has asked for a later revision, which is lost. */
    void overruleLost() {
        store.outlived().stream()
                .flatMap(row -> Stream.ofNullable(built(row).subscription()))
                .forEach(registrar::overrule);
    }

    private static void attempt(Runnable work, List<PosthornException> failures) {
        try {
            work.run();
        } catch (PosthornException e) {
            failures.add(e);
        }
    }

    /** What failed is tried again each time: a key may be there now. */
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
        return deleting;
    }
}
