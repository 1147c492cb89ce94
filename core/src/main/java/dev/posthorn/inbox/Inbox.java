package dev.posthorn.inbox;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.FieldRules;
import dev.posthorn.log.CallersTransaction;
import dev.posthorn.log.SchemaName;
import dev.posthorn.log.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Remembers which events a consumer has taken, in the same transaction as what it does about them, so that one that
 * comes again has no second effect. Thread-safe.
 *
 * <p>An entry lasts as long as the relay's retention says, by default 30 days: an event that comes again later than that
 * is taken for a new one.
 */
public final class Inbox {

    private static final int LONGEST_CONSUMER = 255;

    private static final CallersTransaction TRANSACTION =
            new CallersTransaction("claiming inbox entries", "the inbox entry", "claim the entry and make your change");

    /** In one order for all, so that two batches cannot deadlock. */
    private static final String ENTER = """
            INSERT INTO posthorn.inbox_entry (consumer, event_id, digest)
            SELECT :consumer::text, event_id, digest
              FROM unnest(:ids::uuid[], :digests::bytea[]) AS claimed (event_id, digest)
             ORDER BY event_id
                ON CONFLICT DO NOTHING
            RETURNING event_id
            """;

    private static final String DIGESTS = """
            SELECT event_id, digest FROM posthorn.inbox_entry
             WHERE consumer = :consumer::text AND event_id = ANY (:ids::uuid[])
            """;

    private final Sql enter;
    private final Sql digests;

    private Inbox(Builder builder) {
        this.enter = Sql.of(builder.schema, ENTER);
        this.digests = Sql.of(builder.schema, DIGESTS);
    }

    /** An inbox in the schema {@code posthorn}. */
    public static Inbox create() {
        return builder().build();
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * Enters what the consumer has not taken yet, with one statement, and tells of each entry what it came to, in the
     * order given. A rollback frees what was claimed. If an id is there twice, the first one counts as entered before
     * the second.
     *
     * <p>Waits for another transaction that has claimed one of the ids and not ended. Entries are made in the order of
     * their ids, so calls do not wait for each other in a circle; transactions that claim more than once may.
     *
     * <p>Under REPEATABLE READ or SERIALIZABLE an entry that another transaction committed after this one began raises
     * SQLSTATE 40001 (a {@link PosthornException} with that cause): roll back and repeat the whole transaction. Under
     * READ COMMITTED nothing that was claimed before breaks the caller's transaction.
     */
    public List<Claim> claim(Connection connection, String consumer, List<InboxEntry> entries) {
        requireName(consumer);
        if (entries.isEmpty()) {
            return List.of();
        }
        return TRANSACTION.join(connection, () -> {
            Map<UUID, InboxEntry> firsts = new LinkedHashMap<>();
            entries.forEach(entry -> firsts.putIfAbsent(entry.eventId(), entry));
            Set<UUID> fresh = enter(connection, consumer, firsts.values());
            return claims(entries, fresh, stored(connection, consumer, firsts, fresh));
        });
    }

    private Set<UUID> enter(Connection connection, String consumer, Collection<InboxEntry> entries)
            throws SQLException {
        Map<String, Object> values = Map.of(
                "consumer",
                consumer,
                "ids",
                texts(entries.stream().map(InboxEntry::eventId).toList()),
                "digests",
                connection.createArrayOf(
                        "bytea", entries.stream().map(InboxEntry::digest).toArray(byte[][]::new)));
        try (PreparedStatement statement = enter.prepare(connection, values);
                ResultSet rows = statement.executeQuery()) {
            Set<UUID> fresh = new HashSet<>();
            while (rows.next()) {
                fresh.add(rows.getObject(1, UUID.class));
            }
            return fresh;
        }
    }

    /**
     * The digests as they are in the table now. A statement of its own after the first: that one may have waited for
     * entries that its snapshot does not show. What retention has deleted since is missing, and counts as without.
     */
    private Map<UUID, byte @Nullable []> stored(
            Connection connection, String consumer, Map<UUID, InboxEntry> firsts, Set<UUID> fresh) throws SQLException {
        Map<UUID, byte @Nullable []> stored = new HashMap<>();
        List<UUID> others = new ArrayList<>();
        firsts.forEach((id, entry) -> {
            if (fresh.contains(id)) {
                stored.put(id, entry.digest());
            } else {
                others.add(id);
            }
        });
        if (!others.isEmpty()) {
            read(connection, consumer, others, stored);
        }
        return stored;
    }

    private void read(Connection connection, String consumer, List<UUID> ids, Map<UUID, byte @Nullable []> into)
            throws SQLException {
        Map<String, Object> values = Map.of("consumer", consumer, "ids", texts(ids));
        try (PreparedStatement statement = digests.prepare(connection, values);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                into.put(rows.getObject(1, UUID.class), rows.getBytes(2));
            }
        }
    }

    private static List<Claim> claims(List<InboxEntry> entries, Set<UUID> fresh, Map<UUID, byte @Nullable []> stored) {
        Set<UUID> unclaimed = new HashSet<>(fresh);
        return entries.stream()
                .map(entry -> unclaimed.remove(entry.eventId())
                        ? Claim.FRESH
                        : compare(entry.digest(), stored.get(entry.eventId())))
                .toList();
    }

    private static Claim compare(byte @Nullable [] claimed, byte @Nullable [] stored) {
        boolean differ = claimed != null && stored != null && !Arrays.equals(claimed, stored);
        return differ ? Claim.CONFLICT : Claim.DUPLICATE;
    }

    private static String[] texts(List<UUID> ids) {
        return ids.stream().map(UUID::toString).toArray(String[]::new);
    }

    /** Here, because what PostgreSQL refuses would break the caller's transaction. */
    private static void requireName(String consumer) {
        if (consumer.isBlank()) {
            throw refused("is empty; name who takes the events, the same every time");
        }
        if (consumer.length() > LONGEST_CONSUMER) {
            throw refused("has " + consumer.length() + " characters; the limit is " + LONGEST_CONSUMER);
        }
        if (!FieldRules.isStorable(consumer)) {
            throw refused("holds a control character or half a surrogate pair; take it out");
        }
    }

    private static PosthornException refused(String why) {
        return new PosthornException(ErrorCode.INVALID_REQUEST, "consumer " + why);
    }

    /** Settings of an inbox. */
    public static final class Builder {

        private SchemaName schema = SchemaName.DEFAULT;

        private Builder() {}

        public Builder schema(String name) {
            this.schema = new SchemaName(name);
            return this;
        }

        public Inbox build() {
            return new Inbox(this);
        }
    }
}
