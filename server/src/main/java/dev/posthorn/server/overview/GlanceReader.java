package dev.posthorn.server.overview;

import dev.posthorn.error.PosthornException;
import dev.posthorn.log.Queries;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.rollup.Rollups;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads what is read only if somebody looks, and not again for a moment: fifty times as long as it took, so that it never
 * costs more than a fiftieth of a core, however many look.
 */
final class GlanceReader {

    private static final int SHARE = 50;
    private static final long SHORTEST = Duration.ofSeconds(1).toNanos();
    private static final long LONGEST = Duration.ofSeconds(30).toNanos();
    private static final Duration HOUR = Duration.ofHours(1);

    private final Database database;
    private final Rollups rollups;
    private final Queries queries;
    private @Nullable Glance last;
    private @Nullable PosthornException failure;
    private long nextAt;

    GlanceReader(Database database, Rollups rollups) {
        this.database = database;
        this.rollups = rollups;
        this.queries = new Queries(database.looks(), database.schema());
    }

    boolean isReady() {
        return database.isReady();
    }

    /** One reads, the others wait for what it finds, also if that is that the database is away. */
    synchronized Glance glance() {
        database.requireReady();
        if ((last == null && failure == null) || System.nanoTime() - nextAt >= 0) {
            long begun = System.nanoTime();
            try {
                last = read();
                failure = null;
                long took = System.nanoTime() - begun;
                nextAt = System.nanoTime() + Math.min(LONGEST, Math.max(SHORTEST, SHARE * took));
            } catch (PosthornException e) {
                failure = e;
                nextAt = System.nanoTime() + SHORTEST;
            }
        }
        if (failure != null || last == null) {
            throw Objects.requireNonNull(failure);
        }
        return last;
    }

    private Glance read() {
        Instant now = rollups.now();
        return new Glance(
                now, rollups.all(now, HOUR), rollups.rates(now), Glance.processes(queries), Glance.inDoubt(queries));
    }
}
