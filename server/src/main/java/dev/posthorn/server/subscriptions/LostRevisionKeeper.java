package dev.posthorn.server.subscriptions;

import dev.posthorn.server.database.Database;
import dev.posthorn.server.periodic.PeriodicTask;
import java.time.Duration;

/**
 * Has the documents that are there decide, after a fail-over that lost some, or after somebody deleted a subscription past
 * the hub. An instance that has not noticed yet asks for
 * a lost revision again, as it should if only the wish were lost; so somebody has to look until the last one has noticed.
 */
public final class LostRevisionKeeper extends PeriodicTask {

    private static final Duration LOOK_INTERVAL = Duration.ofSeconds(1);

    /** As the relay's. */
    private static final int PHASE = 2;

    private final Database database;
    private final SubscriptionKeeper keeper;

    LostRevisionKeeper(Database database, SubscriptionKeeper keeper) {
        super("posthorn-lost-revision-keeper", LOOK_INTERVAL, PHASE);
        this.database = database;
        this.keeper = keeper;
    }

    @Override
    protected void runOnce() {
        if (database.isReady()) {
            keeper.putBack();
        }
    }
}
