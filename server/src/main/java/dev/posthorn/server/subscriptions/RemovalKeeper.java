package dev.posthorn.server.subscriptions;

import dev.posthorn.server.periodic.PeriodicTask;
import java.time.Duration;
import java.util.Set;

/** Removes deleted subscriptions as soon as no instance serves them any more, whoever deleted them. */
public final class RemovalKeeper extends PeriodicTask {

    private static final Duration LOOK_INTERVAL = Duration.ofSeconds(1);
    /** As the relay's. */
    private static final int PHASE = 2;

    private static final Duration STEP = Duration.ofMillis(25);

    private final SubscriptionKeeper keeper;
    private final Registrar registrar;

    RemovalKeeper(SubscriptionKeeper keeper, Registrar registrar) {
        super("posthorn-removal-keeper", LOOK_INTERVAL, PHASE);
        this.keeper = keeper;
        this.registrar = registrar;
    }

    @Override
    protected void runOnce() {
        for (String name : keeper.deleting()) {
            if (registrar.remove(name)) {
                keeper.read(Set.of(name));
            }
        }
    }

    /** Waits until it is removed, so long at most; false if it is still there. */
    boolean remove(String name, Duration atMost) {
        long giveUpAt = System.nanoTime() + atMost.toNanos();
        while (!registrar.remove(name)) {
            if (System.nanoTime() >= giveUpAt || pause(STEP)) {
                return false;
            }
        }
        keeper.read(Set.of(name));
        return true;
    }
}
