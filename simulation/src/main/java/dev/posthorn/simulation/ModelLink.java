package dev.posthorn.simulation;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.relay.store.LaneStore;
import dev.posthorn.relay.store.StoredLane;
import dev.posthorn.simulation.SimulatedInstance.Owner;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A connection of an instance to the modelled database, which ends when the database does. */
final class ModelLink {

    private final World world;
    private boolean open;
    private long start;
    private long openings;

    ModelLink(World world) {
        this.world = world;
    }

    /** Opens it if need be; fails if the database has ended since, as whoever uses it notices. */
    long open() {
        if (open && start != world.databaseStarts()) {
            lose();
            throw new PosthornException(ErrorCode.DATABASE, "the connection broke: simulated");
        }
        if (!open) {
            open = true;
            start = world.databaseStarts();
            openings++;
        }
        return openings;
    }

    void lose() {
        open = false;
    }

    /** As a lane uses it: what it has read is good only as long as the connection. */
    final class Bound {
        private long begun;

        void begin() {
            begun = open();
        }

        boolean isCurrent() {
            return open && start == world.databaseStarts() && openings == begun;
        }

        void use() {
            if (!isCurrent()) {
                throw new PosthornException(ErrorCode.DATABASE, "the connection was lost: simulated");
            }
            open();
        }

        ModelLink link() {
            return ModelLink.this;
        }
    }

    /** Where lanes stand, read ahead for all that are about to begin, by the same rules as in PostgreSQL. */
    final class Standings {

        private static final int FRESH = 8;

        private final Bound bound = new Bound();
        private final Map<Owner, Ahead> ahead = new HashMap<>();

        private final LongSupplier reads;

        private record Ahead(StoredLane stored, long asked, long reads) {}

        /** @param reads how many reads at the tail were made on the link */
        Standings(LongSupplier reads) {
            this.reads = reads;
        }

        void prefetch(Map<Owner, LaneStore> lanes, Hazards hazards) {
            ahead.clear();
            if (lanes.isEmpty()) {
                return;
            }
            bound.begin();
            long asked = world.nanos();
            long before = reads.getAsLong();
            Map<Owner, Ahead> read = hazards.call("prefetch", () -> {
                Map<Owner, Ahead> found = new HashMap<>();
                lanes.forEach((owner, store) -> {
                    StoredLane stored = store.begin();
                    if (stored != null) {
                        world.history().sees(owner);
                        found.put(owner, new Ahead(stored, asked, before));
                    }
                });
                return found;
            });
            ahead.putAll(read);
        }

        @Nullable
        StoredLane take(Owner owner) {
            Ahead found = ahead.remove(owner);
            if (found == null || !bound.isCurrent()) {
                return null;
            }
            Duration age = Duration.ofNanos(world.nanos() - found.asked);
            boolean fresh = age.multipliedBy(FRESH).compareTo(found.stored.leased()) < 0;
            return fresh ? found.stored.aged(age, found.reads) : null;
        }

        void forget(Owner owner) {
            ahead.remove(owner);
        }
    }
}
