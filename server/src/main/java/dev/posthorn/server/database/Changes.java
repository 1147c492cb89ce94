package dev.posthorn.server.database;

import dev.posthorn.error.PosthornException;
import dev.posthorn.log.Queries;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Tells every instance that something was changed which it holds in memory. Whoever changes counts the topic up in the
 * same transaction; all look at the counts a few times a second.
 */
public final class Changes implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(Changes.class);

    private static final Duration LOOK_INTERVAL = Duration.ofMillis(250);

    private static final String NUMBERS = "SELECT topic, number FROM posthorn.hub_change";

    private static final String COUNT_UP = "UPDATE posthorn.hub_change SET number = number + 1 WHERE topic = :topic";

    /** What is held in memory. */
    public enum Topic {
        EVENT_TYPES,
        SUBSCRIPTIONS,
        KEYS;

        String stored() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private final Database database;
    private final Queries queries;
    private final Map<Topic, Runnable> readers = new ConcurrentHashMap<>();
    private final Map<Topic, Long> known = new EnumMap<>(Topic.class);
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final Thread thread = new Thread(this::watch, "posthorn-changes");
    private volatile boolean read;
    private volatile boolean running;

    /** Begins to look once the database is there. */
    public Changes(Database database, DatabaseKeeper keeper) {
        this.database = database;
        this.queries = database.queries();
        thread.setDaemon(true);
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

    private void watch() {
        while (!pause()) {
            try {
                if (database.isReady()) {
                    look();
                }
            } catch (PosthornException e) {
                log.debug("Could not look for changes; trying again", e);
            } catch (RuntimeException bug) {
                log.error("An error nobody expected while looking for changes; trying again", bug);
            }
        }
    }

    private boolean pause() {
        try {
            return stopping.await(LOOK_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return true;
        }
    }

    @Override
    public void start() {
        running = true;
        thread.start();
    }

    @Override
    public void stop() {
        running = false;
        stopping.countDown();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return 1;
    }
}
