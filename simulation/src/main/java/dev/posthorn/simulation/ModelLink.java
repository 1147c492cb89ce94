package dev.posthorn.simulation;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;

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
}
