package dev.posthorn.kafka;

import dev.posthorn.event.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Writers that record events of many keys at a steady pace until they are ended. Each key has one writer, so that its
 * events 1, 2, 3 … are committed in this order.
 */
final class KeyedLoad {

    private static final int WRITERS = 2;
    private static final int KEYS_PER_WRITER = 20;
    private static final int PER_TRANSACTION = 5;
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final OutboxDatabase database;
    private final List<Thread> threads = new ArrayList<>();
    private final Map<String, Integer> recorded = new TreeMap<>();
    private volatile boolean ending;

    private KeyedLoad(OutboxDatabase database) {
        this.database = database;
    }

    static KeyedLoad on(OutboxDatabase database) {
        KeyedLoad load = new KeyedLoad(database);
        for (int i = 0; i < WRITERS; i++) {
            int writer = i;
            Thread thread = new Thread(() -> load.run(writer), "load-" + i);
            thread.setDaemon(true);
            thread.start();
            load.threads.add(thread);
        }
        return load;
    }

    private void run(int writer) {
        int turn = 0;
        while (!ending) {
            List<Event> events = new ArrayList<>();
            Map<String, Integer> counts = new TreeMap<>();
            for (int i = 0; i < PER_TRANSACTION; i++, turn++) {
                String key = "order-" + writer + "-" + turn % KEYS_PER_WRITER;
                int number = turn / KEYS_PER_WRITER + 1;
                counts.put(key, number);
                events.add(Event.builder()
                        .source("shop")
                        .type("order.changed")
                        .key(key)
                        .json(Integer.toString(number))
                        .build());
            }
            database.record(events);
            synchronized (this) {
                recorded.putAll(counts);
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    synchronized int recorded() {
        return recorded.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** How many events there are of each key. */
    Map<String, Integer> end() throws InterruptedException {
        ending = true;
        for (Thread thread : threads) {
            thread.join();
        }
        synchronized (this) {
            return Map.copyOf(recorded);
        }
    }
}
