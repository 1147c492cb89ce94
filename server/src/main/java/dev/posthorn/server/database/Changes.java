package dev.posthorn.server.database;

import dev.posthorn.error.PosthornException;
import dev.posthorn.log.Queries;
import dev.posthorn.server.periodic.PeriodicTask;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Tells every instance that something was changed which it holds in memory. Whoever changes counts the topic up in the
 * same transaction; all look at the counts a few times a second.
 */
public final class Changes extends PeriodicTask {

    private static final Duration LOOK_INTERVAL = Duration.ofMillis(250);

    /** After the database. */
    private static final int PHASE = 1;

    private static final String NUMBERS = "SELECT topic, number FROM posthorn.hub_change";

    /** By one snapshot, so that what is told of ends with the number. */
    private static final String SINCE = """
            SELECT c.number, l.number AS told, l.names
              FROM posthorn.hub_change c
              LEFT JOIN posthorn.hub_change_log l ON l.topic = c.topic AND l.number >= :known
             WHERE c.topic = :topic ORDER BY l.number
            """;

    /** By a step that nobody can guess: after a fail-over that lost one, the next would have the same number. */
    private static final String COUNT_UP = """
            UPDATE posthorn.hub_change SET number = number + 1 + floor(random() * 1000000000)::bigint WHERE topic = :topic
            """;

    private static final String COUNT_UP_TELLING = """
            WITH counted AS ({count_up} RETURNING topic, number)
            INSERT INTO posthorn.hub_change_log (topic, number, names) SELECT topic, number, :names::text[] FROM counted
            """.replace("{count_up}", COUNT_UP.strip());

    /** The last of a topic stays: it is where everybody who has seen it goes on. */
    private static final String TRIM = """
            DELETE FROM posthorn.hub_change_log l USING posthorn.hub_change c
             WHERE c.topic = l.topic AND l.number < c.number
               AND l.changed_at < posthorn.clock() - interval '1 hour'
            """;

    private static final long TRIM_NANOS = Duration.ofMinutes(1).toNanos();

    /** What is held in memory. */
    public enum Topic {
        EVENT_TYPES,
        SUBSCRIPTIONS,
        GUARDS,
        KEYS;

        String stored() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private final Database database;
    private final Queries queries;
    private final Map<Topic, Reader> readers = new ConcurrentHashMap<>();
    private final Map<Topic, Long> known = new EnumMap<>(Topic.class);
    private volatile boolean read;
    private long trimmedAt = System.nanoTime();

    /** Holds something in memory. */
    @FunctionalInterface
    public interface Reader {

        /** Whatever may have changed. */
        void readAll();

        /** These, and no others, may have changed since the last time. */
        default void read(Set<String> names) {
            readAll();
        }
    }

    /** Begins to look once the database is there. */
    public Changes(Database database, DatabaseKeeper keeper) {
        super("posthorn-changes", LOOK_INTERVAL, PHASE);
        this.database = database;
        this.queries = database.queries();
        keeper.onceReady(this::look);
    }

    /** Calls the reader when the database is first there and after every change of the topic. */
    public void read(Topic topic, Reader reader) {
        readers.put(topic, reader);
    }

    /**
     * The same, and tells of which. Last in a transaction, because all who change something of the topic come one after
     * the other from here on.
     */
    public static void countUp(Queries.Transaction transaction, Topic topic, Collection<String> names)
            throws SQLException {
        transaction.update(COUNT_UP_TELLING, Map.of("topic", topic.stored(), "names", names.toArray(String[]::new)));
    }

    /** Counts the topic up; others see it with the commit. */
    public static void countUp(Queries.Transaction transaction, Topic topic) throws SQLException {
        transaction.update(COUNT_UP, Map.of("topic", topic.stored()));
    }

    /** Looks now: for those who have just changed something and want to see it. */
    public synchronized void look() {
        Map<String, Long> numbers = queries.run("looking for changes", t -> {
            Map<String, Long> found = new ConcurrentHashMap<>();
            t.list(NUMBERS, Map.of(), row -> found.put(row.getString("topic"), row.getLong("number")) == null);
            return found;
        });
        readers.forEach((topic, reader) -> {
            Long number = numbers.get(topic.stored());
            if (number != null && !number.equals(known.get(topic))) {
                known.put(topic, readBy(reader, topic, number));
            }
        });
        read = true;
    }

    /** Which number it has seen then. */
    private long readBy(Reader reader, Topic topic, long number) {
        Long last = known.get(topic);
        List<Told> told = last == null ? List.of() : since(topic, last);
        if (told.isEmpty()) {
            reader.readAll();
            return number;
        }
        Set<String> names = new HashSet<>();
        told.stream().skip(1).forEach(each -> names.addAll(each.names()));
        reader.read(names);
        return told.get(0).number();
    }

    /**
     * What one count tells of.
     *
     * @param number where the topic is now
     * @param told which count; null if none is known
     */
    private record Told(long number, @Nullable Long told, List<String> names) {

        boolean isOf(long count) {
            return told != null && told == count;
        }

        boolean isLast() {
            return isOf(number);
        }

        static Told of(ResultSet row) throws SQLException {
            Array names = row.getArray("names");
            return new Told(
                    row.getLong("number"),
                    row.getObject("told", Long.class),
                    names == null ? List.of() : List.of((String[]) names.getArray()));
        }
    }

    /** What was told from that count on, itself the first; nothing if it is not known, or not all since. */
    private List<Told> since(Topic topic, long last) {
        Map<String, Object> values = Map.of("topic", topic.stored(), "known", last);
        List<Told> told = queries.run("looking for what has changed", t -> t.list(SINCE, values, Told::of));
        boolean whole = !told.isEmpty()
                && told.get(0).isOf(last)
                && told.get(told.size() - 1).isLast();
        return whole ? told : List.of();
    }

    private void trim() {
        if (System.nanoTime() - trimmedAt >= TRIM_NANOS) {
            queries.run("forgetting old changes", t -> t.update(TRIM, Map.of()));
            trimmedAt = System.nanoTime();
        }
    }

    /** Whether everything was read once: before that nobody can tell what is there and what is not. */
    public boolean isRead() {
        return read;
    }

    @Override
    protected void runOnce() {
        if (!database.isReady()) {
            return;
        }
        try {
            look();
            trim();
            database.outage().answers();
        } catch (PosthornException e) {
            database.outage().away(e);
        }
    }
}
