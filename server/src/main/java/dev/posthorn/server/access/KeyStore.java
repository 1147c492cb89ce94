package dev.posthorn.server.access;

import dev.posthorn.audit.Act;
import dev.posthorn.audit.Actor;
import dev.posthorn.audit.Audit;
import dev.posthorn.log.Queries;
import dev.posthorn.server.database.Changes;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The table of API keys. */
final class KeyStore {

    private static final String ALL = """
            SELECT name, role, payload, sources, types, hash, created_by, created_at, revoked_at
            FROM posthorn.api_key
            ORDER BY name
            """;

    private static final String ADD = """
            INSERT INTO posthorn.api_key (name, role, payload, sources, types, hash, created_by)
            VALUES (:name, :role, :payload, :sources, :types, :hash, :by)
            """;

    private static final String REVOKE = """
            UPDATE posthorn.api_key SET revoked_at = posthorn.clock()
            WHERE name = :name AND revoked_at IS NULL
            """;

    /** Who does what nobody asks for. */
    static final Actor HUB = Actor.named("hub");

    private final Queries queries;

    KeyStore(Queries queries) {
        this.queries = queries;
    }

    /** A key and what it is looked up by. */
    record Stored(ApiKey key, String lookup) {}

    /** Decides on what is there, and changes it. */
    interface Change<T> {
        T make(Queries.Transaction transaction, List<Stored> keys) throws SQLException;
    }

    List<Stored> all() {
        return queries.run("reading the API keys", KeyStore::all);
    }

    private static List<Stored> all(Queries.Transaction transaction) throws SQLException {
        return transaction.list(ALL, Map.of(), KeyStore::stored);
    }

    private static Stored stored(ResultSet row) throws SQLException {
        return new Stored(
                new ApiKey(
                        row.getString("name"),
                        Role.valueOf(row.getString("role").toUpperCase(Locale.ROOT)),
                        row.getBoolean("payload"),
                        List.of((String[]) row.getArray("sources").getArray()),
                        List.of((String[]) row.getArray("types").getArray()),
                        row.getString("created_by"),
                        Queries.time(row, "created_at"),
                        Queries.timeOrNull(row, "revoked_at")),
                KeySecret.lookup(row.getBytes("hash")));
    }

    /** Changes of keys come one after the other: counting up locks the count, and the keys are read after that. */
    <T> T change(String what, Change<T> change) {
        return queries.run(what, transaction -> {
            Changes.countUp(transaction, Changes.Topic.KEYS);
            return change.make(transaction, all(transaction));
        });
    }

    static void add(Queries.Transaction transaction, Caller owner, byte[] hash, Actor by) throws SQLException {
        Map<String, Object> values = Map.of(
                "name", owner.name(),
                "role", owner.role().toString(),
                "payload", owner.seesPayloads(),
                "sources", owner.scope().sources().toArray(String[]::new),
                "types", owner.scope().types().toArray(String[]::new),
                "hash", hash,
                "by", by.name());
        transaction.update(ADD, values);
        Audit.write(transaction, by, act("create", owner));
    }

    static void revoke(Queries.Transaction transaction, ApiKey key, Actor by) throws SQLException {
        if (transaction.update(REVOKE, Map.of("name", key.name())) > 0) {
            Audit.write(transaction, by, act("revoke", key.caller()));
        }
    }

    /** Tells that the settings have brought a key, which the table never holds. */
    void auditConfigured(String name, Role role) {
        queries.run("writing down that the settings have an API key", transaction -> {
            Audit.write(transaction, HUB, act("configure", new Caller(name, role)));
            return true;
        });
    }

    private static Act act(String verb, Caller owner) {
        Map<String, String> detail = new LinkedHashMap<>();
        detail.put("role", owner.role().toString());
        detail.put("payload", String.valueOf(owner.seesPayloads()));
        Scope scope = owner.scope();
        if (!scope.sources().isEmpty()) {
            detail.put("sources", String.join(", ", scope.sources()));
        }
        if (!scope.types().isEmpty()) {
            detail.put("types", String.join(", ", scope.types()));
        }
        return Act.of("key." + verb, "key/" + owner.name(), detail);
    }
}
