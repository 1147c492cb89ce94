package dev.posthorn.server.access;

import dev.posthorn.audit.Actor;
import dev.posthorn.error.PosthornException;
import dev.posthorn.server.database.Changes;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.database.DatabaseKeeper;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.settings.HubSettings;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * The API keys that count at this moment, in memory. The one in the settings is always there; those in the table are read
 * when the database is first reached and after every change, wherever it was made.
 */
@Component
class Keys {

    private static final Logger log = LoggerFactory.getLogger(Keys.class);

    private static final String CONFIGURED = "admin";

    /** Who made the key in the settings. */
    private static final String SETTINGS = "settings";

    /**
     * The key in the settings, whoever needs none, the hub itself, and who made the key in the settings: names that stand
     * for something else in what was changed by whom. Not in another case either: people read them in the audit.
     */
    private static final Set<String> RESERVED = Set.of(CONFIGURED, Caller.LOCAL.name(), KeyStore.HUB.name(), SETTINGS);

    private final Database database;
    private final Changes changes;
    private final KeyStore store;
    private final @Nullable String configured;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private volatile Known known;

    /** What was read last. */
    private record Known(boolean complete, List<ApiKey> stored, Map<String, Caller> callers) {}

    Keys(Database database, DatabaseKeeper keeper, Changes changes, HubSettings settings) {
        this.database = database;
        this.changes = changes;
        this.store = new KeyStore(database.queries());
        this.configured = settings.access().adminKey();
        this.known = known(false, List.of());
        changes.read(Changes.Topic.KEYS, this::read);
        if (configured != null) {
            keeper.onceReady(() -> store.auditConfigured(CONFIGURED, Role.ADMIN));
        }
    }

    private void read() {
        known = known(true, store.all());
        listeners.forEach(Runnable::run);
    }

    /** Runs it whenever the keys were read, and may be others than before. */
    void onChange(Runnable listener) {
        listeners.add(listener);
    }

    private Known known(boolean complete, List<KeyStore.Stored> stored) {
        Map<String, Caller> callers = new HashMap<>();
        for (KeyStore.Stored each : stored) {
            if (!each.key().isRevoked()) {
                callers.put(each.lookup(), each.key().caller());
            }
        }
        if (configured != null) {
            callers.put(KeySecret.lookup(KeySecret.hash(configured)), new Caller(CONFIGURED, Role.ADMIN));
        }
        return new Known(complete, stored.stream().map(KeyStore.Stored::key).toList(), Map.copyOf(callers));
    }

    /** Whose key this is; null if it is nobody's. */
    @Nullable
    Caller owner(String key) {
        return known.callers().get(KeySecret.lookup(KeySecret.hash(key)));
    }

    /** Whether there is any key, so that every call needs one. */
    boolean areInForce() {
        return !known.callers().isEmpty();
    }

    /** Whether the table was read: before that, nobody can tell that a key is unknown or that there is none. */
    boolean areComplete() {
        return known.complete();
    }

    /** All there are and were, by name. */
    List<ApiKey> all() {
        Stream<ApiKey> settings = configured == null
                ? Stream.empty()
                : Stream.of(new ApiKey(CONFIGURED, Role.ADMIN, true, List.of(), List.of(), SETTINGS, null, null));
        return Stream.concat(settings, known.stored().stream())
                .sorted(Comparator.comparing(ApiKey::name))
                .toList();
    }

    /** Makes a key and gives it back; it cannot be had again. */
    String create(Caller owner, Actor by) {
        database.requireReady();
        String key = KeySecret.create();
        store.change("creating an API key", (transaction, keys) -> {
            checkName(owner.name(), keys);
            checkFirst(owner.role(), keys);
            KeyStore.add(transaction, owner, KeySecret.hash(key), by);
            return true;
        });
        lookAtOnce();
        return key;
    }

    private static void checkName(String name, List<KeyStore.Stored> keys) {
        if (RESERVED.contains(name.toLowerCase(Locale.ROOT))) {
            throw conflict("name: '" + name + "' is a name of the hub's own; take another one");
        }
        if (keys.stream().anyMatch(each -> each.key().name().equalsIgnoreCase(name))) {
            throw conflict("name: there is or was an API key '" + name
                    + "'; a name is never used again, so that what it did stays its own");
        }
    }

    private void checkFirst(Role role, List<KeyStore.Stored> keys) {
        boolean hasAdmin = configured != null || unrevoked(keys).anyMatch(each -> each.role() == Role.ADMIN);
        if (!hasAdmin && role != Role.ADMIN) {
            throw conflict("role: the first API key must be an admin's: with it every call needs a key, and nobody"
                    + " could manage the hub any more");
        }
    }

    /** Revokes a key; once more does nothing. */
    void revoke(String name, Actor by) {
        database.requireReady();
        store.change("revoking an API key", (transaction, keys) -> {
            KeyStore.revoke(transaction, revocable(name, keys), by);
            return true;
        });
        lookAtOnce();
    }

    /** The change is made: whether it can be seen at once must not turn it into a failure, and lose a new key. */
    private void lookAtOnce() {
        try {
            changes.look();
        } catch (PosthornException e) {
            log.debug("Could not read the API keys after a change; reading them again soon", e);
        }
    }

    private ApiKey revocable(String name, List<KeyStore.Stored> keys) {
        if (configured != null && name.equals(CONFIGURED)) {
            throw conflict(
                    "the API key 'admin' stands in the settings; change posthorn.access.admin-key and start again");
        }
        ApiKey key = keys.stream()
                .map(KeyStore.Stored::key)
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> Problem.of(ProblemType.NOT_FOUND, "there is no API key '" + name + "'")
                        .asException());
        List<ApiKey> others =
                unrevoked(keys).filter(each -> !each.name().equals(name)).toList();
        boolean hasAdmin = configured != null || others.stream().anyMatch(each -> each.role() == Role.ADMIN);
        if (!key.isRevoked() && !hasAdmin && !others.isEmpty()) {
            throw conflict("'" + name + "' is the last API key of an admin; revoke the others first, or create another"
                    + " admin's");
        }
        return key;
    }

    private static Stream<ApiKey> unrevoked(List<KeyStore.Stored> keys) {
        return keys.stream().map(KeyStore.Stored::key).filter(each -> !each.isRevoked());
    }

    private static ProblemException conflict(String detail) {
        return Problem.of(ProblemType.CONFLICT, detail).asException();
    }
}
