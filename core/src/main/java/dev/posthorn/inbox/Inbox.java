package dev.posthorn.inbox;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import dev.posthorn.event.FieldRules;
import dev.posthorn.log.CallersTransaction;
import dev.posthorn.log.SchemaName;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Remembers which events a consumer has taken, in the same transaction as what it does about them, so that one that
 * comes again has no second effect. Thread-safe.
 *
 * <p>An entry lasts as long as the retention of the relay on this schema says, by default 30 days, or as its consumer says
 * itself: an event that comes again later than that is taken for a new one.
 */
public final class Inbox {

    private static final int LONGEST_CONSUMER = 255;

    /** A hub, as a consumer of what is published to it. */
    private static final String INGEST = "(ingest)";

    private static final CallersTransaction TRANSACTION =
            new CallersTransaction("claiming inbox entries", "the inbox entry", "claim the entry and make your change");

    private final Entries entries;

    private Inbox(Builder builder) {
        this.entries = new Entries(builder.schema);
    }

    /** An inbox in the schema {@code posthorn}. */
    public static Inbox create() {
        return builder().build();
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * Has the effect, in the caller's transaction, unless the consumer has taken the event before. The entry and the
     * effect commit together or not at all: if this throws, roll back.
     *
     * <p>Waits for another transaction that has claimed the event and not ended. For what REPEATABLE READ adds to that,
     * see {@link #claim}.
     */
    public <T extends @Nullable Object, E extends Exception> Once<T> once(
            Connection connection, String consumer, UUID eventId, Effect<T, E> effect) throws E {
        requireConsumer(consumer);
        return onceAs(connection, consumer, eventId, effect);
    }

    /** The same under a name of ours. */
    <T extends @Nullable Object, E extends Exception> Once<T> onceAs(
            Connection connection, String consumer, UUID eventId, Effect<T, E> effect) throws E {
        boolean fresh = TRANSACTION.join(connection, () -> entries.enter(connection, consumer, eventId, null));
        return once(connection, fresh, effect);
    }

    private static <T extends @Nullable Object, E extends Exception> Once<T> once(
            Connection connection, boolean fresh, Effect<T, E> effect) throws E {
        return fresh ? new Once.Processed<>(effect.apply(connection)) : new Once.Duplicate<>();
    }

    /** The same by source and id, for whoever takes events of several sources: two of these may use one id. */
    public <T extends @Nullable Object, E extends Exception> Once<T> once(
            Connection connection, String consumer, Event event, Effect<T, E> effect) throws E {
        requireConsumer(consumer);
        return onceAs(connection, consumer, event, effect);
    }

    /** The same under a name of ours. */
    <T extends @Nullable Object, E extends Exception> Once<T> onceAs(
            Connection connection, String consumer, Event event, Effect<T, E> effect) throws E {
        return once(connection, TRANSACTION.join(connection, () -> enter(connection, consumer, event)), effect);
    }

    private boolean enter(Connection connection, String consumer, Event event) throws SQLException {
        if (entries.enter(connection, consumer, event.id(), event.source())) {
            return true;
        }
        InboxEntry stored =
                entries.find(connection, consumer, List.of(event.id())).get(event.id());
        if (compare(new Arrival(event, null).entry(), stored) != Claim.OTHERS) {
            return false;
        }
        boolean kept = !entries.keep(connection, consumer, List.of(event.id())).isEmpty();
        return enter(connection, consumer, kept ? event.underItsSource() : event);
    }

    /**
     * The same in a transaction of its own, which is committed when the effect returns and rolled back when it throws. It
     * is repeated, the effect with it, after a serialization failure or a deadlock.
     */
    public <T extends @Nullable Object, E extends Exception> Once<T> once(
            DataSource dataSource, String consumer, UUID eventId, Effect<T, E> effect) throws E {
        return Transactions.over(dataSource).run(connection -> once(connection, consumer, eventId, effect));
    }

    /** The same by source and id. */
    public <T extends @Nullable Object, E extends Exception> Once<T> once(
            DataSource dataSource, String consumer, Event event, Effect<T, E> effect) throws E {
        return Transactions.over(dataSource).run(connection -> once(connection, consumer, event, effect));
    }

    /**
     * Claims many events with one statement and has the effect of those that the consumer has not taken before, all at
     * once and in the order given. Returns them. An id that is there twice counts once. If this throws, roll back.
     */
    public <I, E extends Exception> List<I> onceEach(
            Connection connection,
            String consumer,
            List<I> items,
            Function<? super I, UUID> eventId,
            BatchEffect<I, E> effect)
            throws E {
        requireConsumer(consumer);
        if (items.isEmpty()) {
            return List.of();
        }
        Map<UUID, I> firsts = new LinkedHashMap<>();
        items.forEach(item -> firsts.putIfAbsent(eventId.apply(item), item));
        List<InboxEntry> asked =
                firsts.keySet().stream().map(id -> new InboxEntry(id, null)).toList();
        firsts.keySet().retainAll(TRANSACTION.join(connection, () -> entries.enterEach(connection, consumer, asked)));
        return each(connection, List.copyOf(firsts.values()), effect);
    }

    private static <I, E extends Exception> List<I> each(Connection connection, List<I> fresh, BatchEffect<I, E> effect)
            throws E {
        if (!fresh.isEmpty()) {
            effect.apply(connection, fresh);
        }
        return fresh;
    }

    /** The same by source and id, as {@link #once(Connection, String, Event, Effect)}. Each comes as it was given. */
    public <E extends Exception> List<Event> onceEach(
            Connection connection, String consumer, List<Event> events, BatchEffect<Event, E> effect) throws E {
        requireConsumer(consumer);
        return onceEachAs(connection, consumer, events, effect);
    }

    /** The same under a name of ours. */
    <E extends Exception> List<Event> onceEachAs(
            Connection connection, String consumer, List<Event> events, BatchEffect<Event, E> effect) throws E {
        List<Arrival> arrivals =
                events.stream().map(event -> new Arrival(event, null)).toList();
        List<ClaimedEvent> claimed = claimEachAs(connection, consumer, arrivals);
        List<Event> fresh = IntStream.range(0, events.size())
                .filter(i -> claimed.get(i).claim() == Claim.FRESH)
                .mapToObj(events::get)
                .toList();
        return each(connection, fresh, effect);
    }

    /** The same in a transaction of its own, as {@link #once(DataSource, String, Event, Effect)}. */
    public <E extends Exception> List<Event> onceEach(
            DataSource dataSource, String consumer, List<Event> events, BatchEffect<Event, E> effect) throws E {
        return Transactions.over(dataSource).run(connection -> onceEach(connection, consumer, events, effect));
    }

    /** The same in a transaction of its own, as {@link #once(DataSource, String, UUID, Effect)}. */
    public <I, E extends Exception> List<I> onceEach(
            DataSource dataSource,
            String consumer,
            List<I> items,
            Function<? super I, UUID> eventId,
            BatchEffect<I, E> effect)
            throws E {
        return Transactions.over(dataSource).run(connection -> onceEach(connection, consumer, items, eventId, effect));
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
    public List<Claim> claim(Connection connection, String consumer, List<InboxEntry> claimed) {
        requireConsumer(consumer);
        return claimAs(connection, consumer, claimed);
    }

    /**
     * The same for a hub, of what is published to it: under a name that no consumer can have. By source and id; each event
     * comes back as the hub is to know it.
     */
    public List<ClaimedEvent> claimIngest(Connection connection, List<Arrival> arrivals) {
        return claimEachAs(connection, INGEST, arrivals);
    }

    /** What {@link #claimIngest} would answer by what is committed now. Enters nothing. */
    public List<ClaimedEvent> lookUpIngest(Connection connection, List<Arrival> arrivals) {
        return claimEach(arrivals, asked -> lookUp(connection, asked), taken -> taken);
    }

    private List<ClaimedEvent> claimEachAs(Connection connection, String consumer, List<Arrival> arrivals) {
        return claimEach(
                arrivals,
                asked -> claimAs(connection, consumer, asked),
                taken -> TRANSACTION.join(connection, () -> entries.keep(connection, consumer, taken)));
    }

    /**
     * Whose id another source has used is claimed again under its source. No other source can have used that one. The
     * other's entry has to stay for as long: without it the id would be free, and the event would be fresh under it once
     * more. So it is kept first, and an id whose entry has just gone is claimed as it is.
     */
    private static List<ClaimedEvent> claimEach(
            List<Arrival> arrivals, Function<List<InboxEntry>, List<Claim>> claim, UnaryOperator<Set<UUID>> keep) {
        if (arrivals.isEmpty()) {
            return List.of();
        }
        List<Claim> claims = claim.apply(arrivals.stream().map(Arrival::entry).toList());
        List<Arrival> others = IntStream.range(0, claims.size())
                .filter(i -> claims.get(i) == Claim.OTHERS)
                .mapToObj(arrivals::get)
                .toList();
        Set<UUID> taken = others.stream().map(other -> other.event().id()).collect(Collectors.toSet());
        Set<UUID> kept = taken.isEmpty() ? taken : keep.apply(taken);
        List<Arrival> next = others.stream()
                .map(other -> kept.contains(other.event().id()) ? other.underItsSource() : other)
                .toList();
        Iterator<ClaimedEvent> again = claimEach(next, claim, keep).iterator();
        return IntStream.range(0, claims.size())
                .mapToObj(i -> claims.get(i) == Claim.OTHERS
                        ? again.next()
                        : new ClaimedEvent(arrivals.get(i).event(), claims.get(i)))
                .toList();
    }

    private List<Claim> lookUp(Connection connection, List<InboxEntry> asked) {
        Set<UUID> ids = asked.stream().map(InboxEntry::eventId).collect(Collectors.toSet());
        try {
            Map<UUID, InboxEntry> stored = entries.find(connection, INGEST, List.copyOf(ids));
            ids.removeAll(stored.keySet());
            return claims(asked, ids, stored);
        } catch (SQLException e) {
            throw PosthornException.database("looking for inbox entries", e);
        }
    }

    /** Those of these that were entered. */
    Set<UUID> entered(Connection connection, String consumer, List<UUID> ids) throws SQLException {
        return entries.find(connection, consumer, ids).keySet();
    }

    private List<Claim> claimAs(Connection connection, String consumer, List<InboxEntry> claimed) {
        if (claimed.isEmpty()) {
            return List.of();
        }
        return TRANSACTION.join(connection, () -> {
            Map<UUID, InboxEntry> firsts = new LinkedHashMap<>();
            claimed.forEach(entry -> firsts.putIfAbsent(entry.eventId(), entry));
            Set<UUID> fresh = entries.enterEach(connection, consumer, firsts.values());
            return claims(claimed, fresh, stored(connection, consumer, firsts, fresh));
        });
    }

    /**
     * The entries as they are in the table now. A statement of its own after the first: that one may have waited for
     * entries that its snapshot does not show. What retention has deleted since is missing, and counts as the same.
     */
    private Map<UUID, InboxEntry> stored(
            Connection connection, String consumer, Map<UUID, InboxEntry> firsts, Set<UUID> fresh) throws SQLException {
        Map<UUID, InboxEntry> stored = new HashMap<>();
        List<UUID> others = new ArrayList<>();
        firsts.forEach((id, entry) -> {
            if (fresh.contains(id)) {
                stored.put(id, entry);
            } else {
                others.add(id);
            }
        });
        if (!others.isEmpty()) {
            stored.putAll(entries.find(connection, consumer, others));
        }
        return stored;
    }

    private static List<Claim> claims(List<InboxEntry> entries, Set<UUID> fresh, Map<UUID, InboxEntry> stored) {
        Set<UUID> unclaimed = new HashSet<>(fresh);
        return entries.stream()
                .map(entry ->
                        unclaimed.remove(entry.eventId()) ? Claim.FRESH : compare(entry, stored.get(entry.eventId())))
                .toList();
    }

    private static Claim compare(InboxEntry claimed, @Nullable InboxEntry stored) {
        if (stored == null) {
            return Claim.DUPLICATE;
        }
        if (claimed.source() != null
                && stored.source() != null
                && !claimed.source().equals(stored.source())) {
            return Claim.OTHERS;
        }
        boolean differ = claimed.digest() != null
                && stored.digest() != null
                && !Arrays.equals(claimed.digest(), stored.digest());
        return differ ? Claim.CONFLICT : Claim.DUPLICATE;
    }

    /**
     * Refuses a name that no consumer can have; here, because what PostgreSQL refuses would break the caller's
     * transaction. Parentheses are for names of ours: otherwise a consumer could meet entries that are not its own, and
     * never have an effect.
     */
    public static void requireConsumer(String consumer) {
        if (consumer.isBlank()) {
            throw refused("is empty; name who takes the events, the same every time");
        }
        if (consumer.length() > LONGEST_CONSUMER) {
            throw refused("has " + consumer.length() + " characters; the limit is " + LONGEST_CONSUMER);
        }
        if (!FieldRules.isStorable(consumer)) {
            throw refused("holds a control character or half a surrogate pair; take it out");
        }
        if (consumer.indexOf('(') >= 0 || consumer.indexOf(')') >= 0) {
            throw refused("'" + consumer + "' holds a parenthesis, as only names of Posthorn's own do; take it out");
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
