package dev.posthorn.simulation;

import dev.posthorn.event.Event;
import dev.posthorn.simulation.Tables.EventRow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Applications that record events. Transactions overlap, take their ids early or late, end in any order, and some roll
 * back. Those that write the same key serialize: the second writes after the first has ended.
 */
final class Writers {

    private static final List<String> TYPES = List.of("a.x", "a.y", "b.x");
    private static final List<Map<String, String>> HEADERS =
            List.of(Map.of(), Map.of("tenant", "1"), Map.of("tenant", "2", "region", "eu"));

    private final World world;
    private final ModelDatabase database;
    private final List<Transaction> open = new ArrayList<>();
    private final Map<String, Transaction> locks = new HashMap<>();
    private int left;

    Writers(World world, ModelDatabase database, int events) {
        this.world = world;
        this.database = database;
        this.left = events;
    }

    private static final class Transaction {
        private final List<@Nullable String> toWrite = new ArrayList<>();
        private final List<EventRow> written = new ArrayList<>();
        private final Set<String> locked = new HashSet<>();
        private long xid;
    }

    boolean isDone() {
        return left == 0 && open.isEmpty();
    }

    /** Begins, goes on with or ends one of the transactions. */
    void act() {
        if (left > 0 && (open.isEmpty() || (open.size() < 5 && world.chance(0.4)))) {
            begin();
        } else if (!open.isEmpty()) {
            goOn(open.get(world.below(open.size())));
        }
    }

    private void begin() {
        Transaction transaction = new Transaction();
        int count = Math.min(left, world.between(1, 3));
        left -= count;
        // In the order of their keys, so that no two transactions wait for each other.
        TreeSet<String> keys = new TreeSet<>();
        for (int i = 0; i < count; i++) {
            if (world.chance(0.15)) {
                transaction.toWrite.add(null);
            } else {
                keys.add("k" + world.below(world.scenario().keys));
            }
        }
        for (String key : keys) {
            for (int i = world.between(1, 2); i > 0; i--) {
                transaction.toWrite.add(key);
            }
        }
        if (world.chance(0.3)) {
            transaction.xid = database.begin();
        }
        open.add(transaction);
    }

    private void goOn(Transaction transaction) {
        if (transaction.toWrite.isEmpty()) {
            end(transaction);
            return;
        }
        String key = transaction.toWrite.get(0);
        if (key != null) {
            Transaction holder = locks.putIfAbsent(key, transaction);
            if (holder != null && holder != transaction) {
                return;
            }
            transaction.locked.add(key);
        }
        transaction.toWrite.remove(0);
        if (transaction.xid == 0) {
            transaction.xid = database.begin();
        }
        Instant deliverAt =
                world.chance(world.scenario().deferred) ? database.now().plusMillis(world.between(-500, 8000)) : null;
        EventRow row = database.insert(transaction.xid, event(key, deliverAt));
        transaction.written.add(row);
        world.wrote(row);
    }

    private Event event(@Nullable String key, @Nullable Instant deliverAt) {
        UUID id = new UUID(world.below(Integer.MAX_VALUE), world.below(Integer.MAX_VALUE));
        return Event.builder()
                .id(id)
                .source("simulation")
                .type(TYPES.get(world.below(TYPES.size())))
                .headers(HEADERS.get((int) (id.getLeastSignificantBits() % HEADERS.size())))
                .key(key)
                .payload(new byte[world.below(200)])
                .deliverAt(deliverAt)
                .build();
    }

    /** Writes and commits one event of the key, which nothing is wrong with. */
    EventRow write(String key) {
        long xid = database.begin();
        EventRow row = database.insert(xid, event(key, null));
        database.commit(xid, true);
        world.history().committed(List.of(row));
        world.trace(() -> "committed " + xid + " with " + row.seq() + " of " + key);
        return row;
    }

    /** The database has ended, and with it all that was under way. */
    void crashed() {
        open.clear();
        locks.clear();
    }

    private void end(Transaction transaction) {
        open.remove(transaction);
        transaction.locked.forEach(locks::remove);
        if (world.chance(world.scenario().rollback)) {
            world.trace(() -> "rolled back " + transaction.xid);
            database.rollback(transaction.xid);
        } else {
            world.trace(() -> "committed " + transaction.xid + " with "
                    + transaction.written.stream().map(EventRow::seq).toList());
            database.commit(transaction.xid, !world.chance(world.scenario().asynchronous));
            world.history().committed(transaction.written);
        }
    }
}
