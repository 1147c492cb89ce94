package dev.posthorn.server.database;

import dev.posthorn.error.PosthornException;
import dev.posthorn.log.Queries;
import dev.posthorn.server.periodic.PeriodicTask;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tells every instance that something was changed which it holds in memory. Whoever changes counts the topic up in the
 * same transaction; all look at the counts a few times a second.
 */
public final class Changes extends PeriodicTask {

    private static final Duration LOOK_INTERVAL = Duration.ofMillis(250);

    /** After the database. */
    private static final int PHASE = 1;

    private static final String NUMBERS = "SELECT topic, number FROM posthorn.hub_change";

    /** By a step that nobody can guess: after a fail-over that lost one, the next would have the same number. */
    private static final String COUNT_UP = """
            UPDATE posthorn.hub_change SET number = number + 1 + floor(random() * 1000000000)::bigint WHERE topic = :topic
            """;

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
    private final Map<Topic, Runnable> readers = new ConcurrentHashMap<>();
    private final Map<Topic, Long> known = new EnumMap<>(Topic.class);
    private volatile boolean read;

    /** Begins to look once the database is there. */
    public Changes(Database database, DatabaseKeeper keeper) {
        super("posthorn-changes", LOOK_INTERVAL, PHASE);
        this.database = database;
        this.queries = database.queries();
        keeper.onceReady(this::look);
    }

    /** Calls the reader when the database is first there and after every change of the topic. */
    public void read(Topic topic, Runnable reader) {
        readers.put(topic, reader);
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
                reader.run();
                known.put(topic, number);
            }
        });
        read = true;
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
            database.outage().answers();
        } catch (PosthornException e) {
            database.outage().away(e);
        }
    }
}
