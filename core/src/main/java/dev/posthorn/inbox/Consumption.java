package dev.posthorn.inbox;

import dev.posthorn.event.Event;
import dev.posthorn.inbox.ConsumerListener.Partition;
import dev.posthorn.log.DurableCommit;
import dev.posthorn.log.Filter;
import dev.posthorn.log.Queries;
import dev.posthorn.log.SchemaName;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.subscription.WhenUnavailable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * What a consumer does with the events that reach it, by whatever way: each has its effect once, or is set aside as a
 * dead letter and has its effect once when somebody replays it. Thread-safe if the handler is.
 *
 * <p>A dead letter comes with an inbox entry in one transaction. So an event that was set aside counts as taken, and what
 * is still to come by Kafka of the same id has no effect; the replay has an entry of its own, beside it.
 */
public final class Consumption {

    /** How long a replayed event may take. */
    private static final Duration REPLAY_TIMEOUT = Duration.ofSeconds(60);

    private static final String REPLAYED = " (replayed)";

    /** Entries of letters in topics, each known by its place. */
    private static final String LETTERS = " (letters)";

    private static final String KEEP = """
            INSERT INTO posthorn.inbox_retention (consumer, entries_ms)
            SELECT consumer, :entries FROM unnest(:consumers::text[]) AS named (consumer)
                ON CONFLICT (consumer) DO UPDATE SET entries_ms = excluded.entries_ms, asked_at = excluded.asked_at
            """;

    private final String consumer;
    private final SchemaName schema;
    private final Transactions transactions;
    private final BatchHandler handler;
    private final Function<List<Event>, AutoCloseable> around;
    private final Inbox inbox;
    private final boolean deduplicates;
    private final ConsumerLetters letters;
    private final CountedAttempts counted;

    /**
     * @param around opened before each call of the handler and closed after it
     * @param deduplicates whether there are inbox entries of events
     */
    public Consumption(
            String consumer,
            SchemaName schema,
            Transactions transactions,
            BatchHandler handler,
            Function<List<Event>, AutoCloseable> around,
            boolean deduplicates) {
        this.consumer = consumer;
        this.schema = schema;
        this.transactions = transactions;
        this.handler = handler;
        this.around = around;
        this.inbox = Inbox.builder().schema(schema.name()).build();
        this.deduplicates = deduplicates;
        this.letters = new ConsumerLetters(schema);
        this.counted = new CountedAttempts(consumer, schema);
    }

    /**
     * Has the effects of those that are fresh, in one transaction; tells how many these were.
     *
     * @param counted attempts that were counted, which is forgotten with the effect
     * @param called run before the handler is: what fails without that is no event's fault
     */
    public int take(List<Event> events, List<Counted> counted, Runnable called) throws Exception {
        return transactions.run(connection -> {
            int fresh = take(connection, consumer, events, called);
            this.counted.forget(connection, counted);
            return fresh;
        });
    }

    /** Has the effect of an event that was set aside before. */
    void takeAgain(Event event, Runnable called) throws Exception {
        beside(connection -> take(connection, consumer + REPLAYED, List.of(event), called));
    }

    /**
     * Has the effect of an event that is a letter in a topic, unless a replay has taken the letter before. Tells how many
     * effects that were: none if the consumer had taken the event.
     */
    public Once<Integer> takeLetter(UUID letter, Event event, Runnable called) throws Exception {
        return beside(connection -> inbox.onceAs(
                connection, consumer + LETTERS, letter, same -> take(same, consumer, List.of(event), called)));
    }

    private <T> T beside(Effect<T, Exception> effect) throws Exception {
        Lock hands = Hands.beside();
        hands.lockInterruptibly();
        try {
            return transactions.run(effect);
        } finally {
            hands.unlock();
        }
    }

    /** Has another effect than the handler's of a letter in a topic, unless a replay has taken it before. */
    public Once<Boolean> passLetter(UUID letter, Effect<Boolean, Exception> effect) throws Exception {
        return transactions.run(connection -> inbox.onceAs(connection, consumer + LETTERS, letter, effect));
    }

    /** Those of these letters that a replay has taken before. */
    public Set<UUID> replayed(List<UUID> letters) throws SQLException {
        return transactions.run(connection -> inbox.entered(connection, consumer + LETTERS, letters));
    }

    private int take(Connection connection, String name, List<Event> events, Runnable called) throws Exception {
        if (!deduplicates) {
            DurableCommit.demand(connection);
            return call(connection, events, called);
        }
        if (events.size() == 1) {
            return fresh(inbox.onceAs(connection, name, events.get(0), same -> call(same, events, called)));
        }
        return inbox.onceEachAs(connection, name, events, (same, fresh) -> call(same, fresh, called))
                .size();
    }

    private static int fresh(Once<Integer> once) {
        return once.isDuplicate() ? 0 : 1;
    }

    private int call(Connection connection, List<Event> events, Runnable called) throws Exception {
        called.run();
        AutoCloseable scope = around.apply(events);
        try {
            handler.handle(connection, events);
            return events.size();
        } finally {
            scope.close();
        }
    }

    /**
     * Makes an event a dead letter with all that was tried; false if the consumer has taken it meanwhile.
     *
     * @param letter what is kept of it
     * @param earlier how many attempts others made of which only the number is known
     * @param counted attempts that were counted, which is forgotten with the letter
     */
    public boolean setAside(Event event, Event letter, List<FailedAttempt> attempts, int earlier, List<Counted> counted)
            throws SQLException {
        return transactions.run(connection -> {
            this.counted.forget(connection, counted);
            if (!deduplicates) {
                DurableCommit.demand(connection);
                return bury(connection, letter, attempts, earlier);
            }
            return !inbox.once(connection, consumer, event, same -> bury(same, letter, attempts, earlier))
                    .isDuplicate();
        });
    }

    private boolean bury(Connection connection, Event event, List<FailedAttempt> attempts, int earlier)
            throws SQLException {
        letters.bury(connection, consumer, event, attempts, earlier);
        return true;
    }

    /** The names under which it has inbox entries: only those of letters if it does without others. */
    public Set<String> names() {
        return deduplicates ? Set.of(consumer, consumer + REPLAYED, consumer + LETTERS) : Set.of(consumer + LETTERS);
    }

    /**
     * Stores for how long its entries are kept, for every relay on this schema to respect.
     *
     * @param entries null: for ever
     */
    public void keepEntries(DataSource dataSource, @Nullable Duration entries) {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("consumers", names().toArray(String[]::new));
        values.put("entries", entries == null ? null : entries.toMillis());
        new Queries(dataSource, schema).run("storing for how long inbox entries are kept", t -> t.update(KEEP, values));
    }

    /**
     * A member begins with a partition, which it has until it {@linkplain #end ends} it.
     *
     * @param offset where the group goes on
     */
    public Inheritance begin(Partition partition, UUID member, long offset) throws SQLException {
        return transactions.run(connection -> counted.begin(connection, partition, member, offset));
    }

    /** The member has nothing of these partitions in hand any more. */
    public void end(List<Partition> partitions, UUID member) throws SQLException {
        transactions.run(connection -> {
            counted.end(connection, partitions, member);
            return true;
        });
    }

    /**
     * Writes down attempts that are about to be made; gives those of events that were not taken before.
     *
     * @param sources of their events, in the same order
     */
    public Set<Counted> count(List<Counted> attempts, List<String> sources) throws SQLException {
        return transactions.run(connection -> counted.count(connection, attempts, sources));
    }

    /** They ended in something that is not in the database. */
    public void forget(List<Counted> attempts) throws SQLException {
        transactions.run(connection -> {
            counted.forget(connection, attempts);
            return true;
        });
    }

    /** Where replays of its dead letters go, for a relay to serve. */
    public Subscription subscription() {
        return Subscription.to(consumer, new ReplaySink(this))
                .filter(Filter.NONE)
                .lanes(1)
                .timeout(REPLAY_TIMEOUT)
                .whenUnavailable(WhenUnavailable.WAIT)
                .build();
    }

    @Override
    public String toString() {
        return "consumer " + consumer + " in schema " + schema.name();
    }
}
