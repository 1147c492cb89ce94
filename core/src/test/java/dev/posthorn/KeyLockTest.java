package dev.posthorn;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.event.Event;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class KeyLockTest {

    private static final String WAITING = """
            SELECT count(*) FROM pg_locks
             WHERE locktype = 'advisory' AND NOT granted
               AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """;

    private static final String TYPES = "SELECT string_agg(type, ' ' ORDER BY seq) FROM posthorn.event";

    private static TestDatabase database;

    private final Outbox locking = Outbox.builder().lockKeys(true).build();
    private final ExecutorService pool = Executors.newFixedThreadPool(2);

    @BeforeAll
    static void createDatabase() {
        database = TestDatabase.create();
    }

    @AfterEach
    void stop() {
        database.execute("TRUNCATE posthorn.event");
        pool.shutdownNow();
    }

    @Test
    void aSecondWriterOfAKeyWaitsForTheFirstsCommit() throws Exception {
        Future<?> second;
        try (Connection first = database.transaction()) {
            locking.record(first, event("first", "order-7"));
            second = pool.submit(() -> recordAndCommit(locking, List.of(event("second", "order-7"))));
            await().atMost(Duration.ofSeconds(60)).until(() -> database.number(WAITING) == 1);
            // Without the lock this one would come after the second writer's.
            locking.record(first, event("first-again", "order-7"));
            assertThat(second.isDone()).isFalse();
            first.commit();
        }
        second.get(60, SECONDS);
        assertThat(database.value(TYPES)).isEqualTo("first first-again second");
    }

    @Test
    void aBatchWaitsForAWriterOfOneOfItsKeys() throws Exception {
        Future<?> second;
        try (Connection first = database.transaction()) {
            locking.record(first, List.of(event("first", "order-7"), event("first", "order-8")));
            second = pool.submit(
                    () -> recordAndCommit(locking, List.of(event("second", "order-1"), event("second", "order-8"))));
            await().atMost(Duration.ofSeconds(60)).until(() -> database.number(WAITING) == 1);
            first.rollback();
        }
        second.get(60, SECONDS);
        assertThat(database.value(TYPES)).isEqualTo("second second");
    }

    @Test
    void writersOfOtherKeysAndOfNoKeyDoNotWait() throws Exception {
        try (Connection first = database.transaction()) {
            locking.record(first, event("first", "order-7"));
            locking.record(first, event("first", null));
            pool.submit(() -> recordAndCommit(locking, List.of(event("second", "order-8"), event("second", null))))
                    .get(60, SECONDS);
            first.commit();
        }
    }

    /** What the option is for: here the later commit has the lower number. */
    @Test
    void withoutTheOptionNobodyWaits() throws Exception {
        Outbox plain = Outbox.create();
        try (Connection first = database.transaction()) {
            plain.record(first, event("first", "order-7"));
            pool.submit(() -> recordAndCommit(plain, List.of(event("second", "order-7"))))
                    .get(60, SECONDS);
            assertThat(database.value(TYPES)).isEqualTo("second");
            first.commit();
        }
        assertThat(database.value(TYPES)).isEqualTo("first second");
    }

    @Test
    void batchesWithTheSameKeysInOppositeOrderDoNotDeadlock() throws Exception {
        int rounds = 40;
        List<Event> forwards = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            forwards.add(event("e", "order-" + i));
        }
        List<Event> backwards = new ArrayList<>(forwards);
        Collections.reverse(backwards);
        CyclicBarrier together = new CyclicBarrier(2);

        Future<?> one = pool.submit(rounds(rounds, together, forwards));
        Future<?> other = pool.submit(rounds(rounds, together, backwards));

        one.get(120, SECONDS);
        other.get(120, SECONDS);
        assertThat(database.number("SELECT count(*) FROM posthorn.event")).isEqualTo(2L * rounds * 100);
    }

    private Callable<Void> rounds(int rounds, CyclicBarrier together, List<Event> events) {
        return () -> {
            for (int i = 0; i < rounds; i++) {
                together.await(60, SECONDS);
                recordAndCommit(locking, events);
            }
            return null;
        };
    }

    private Void recordAndCommit(Outbox outbox, List<Event> events) throws SQLException {
        try (Connection connection = database.transaction()) {
            outbox.record(connection, events);
            connection.commit();
        }
        return null;
    }

    private static Event event(String type, String key) {
        return Event.builder().source("shop").type(type).key(key).json("{}").build();
    }
}
