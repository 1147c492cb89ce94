package dev.posthorn.server.types;

import dev.posthorn.server.database.Database;
import dev.posthorn.server.periodic.PeriodicTask;
import dev.posthorn.server.settings.HubSettings.EventTypeMode;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Forgets types that only their events made known, and sources, when none of their events is left. */
final class NameTrimmer extends PeriodicTask {

    private static final Logger log = LoggerFactory.getLogger(NameTrimmer.class);

    private static final Duration INTERVAL = Duration.ofMinutes(10);

    /** After the database. */
    private static final int PHASE = 1;

    private final Database database;
    private final EventTypeMode mode;

    NameTrimmer(Database database, EventTypeMode mode) {
        super("posthorn-name-trimmer", INTERVAL, PHASE);
        this.database = database;
        this.mode = mode;
    }

    @Override
    protected void runOnce() {
        if (!database.isReady()) {
            return;
        }
        int forgotten = database.queries().run("forgetting names without events", t -> {
            int sources = NameTable.SOURCES.forget(t);
            // To a strict hub such a type is one like others, and its events do not write down that it is in use.
            return mode == EventTypeMode.STRICT ? sources : sources + NameTable.TYPES.forget(t);
        });
        log.debug("Forgot {} types and sources of which no event is left", forgotten);
    }
}
