package dev.posthorn.server.subscriptions;

import dev.posthorn.error.PosthornException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/** Removes deleted subscriptions as soon as no instance serves them any more, whoever deleted them. */
public final class RemovalKeeper implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(RemovalKeeper.class);

    private static final Duration LOOK_INTERVAL = Duration.ofSeconds(1);
    private static final Duration STEP = Duration.ofMillis(25);

    private final SubscriptionKeeper keeper;
    private final Registrar registrar;
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final Thread thread = new Thread(this::keep, "posthorn-removal-keeper");
    private volatile boolean running;

    RemovalKeeper(SubscriptionKeeper keeper, Registrar registrar) {
        this.keeper = keeper;
        this.registrar = registrar;
        thread.setDaemon(true);
    }

    private void keep() {
        while (!pause(LOOK_INTERVAL)) {
            try {
                removeAll();
            } catch (PosthornException e) {
                log.debug("Could not remove a deleted subscription; trying again", e);
            } catch (RuntimeException bug) {
                log.error("An error nobody expected while removing subscriptions; trying again", bug);
            }
        }
    }

    private void removeAll() {
        if (keeper.deleting().isEmpty()) {
            return;
        }
        boolean removed = false;
        for (String name : keeper.deleting()) {
            removed |= registrar.remove(name);
        }
        if (removed) {
            keeper.read();
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
        keeper.read();
        return true;
    }

    private boolean pause(Duration duration) {
        try {
            return stopping.await(duration.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
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
        return 2;
    }
}
