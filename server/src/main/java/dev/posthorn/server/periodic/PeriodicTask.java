package dev.posthorn.server.periodic;

import dev.posthorn.error.PosthornException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/** Runs on a thread of its own, again and again while the hub runs. A run that fails is repeated after the next pause. */
public abstract class PeriodicTask implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(PeriodicTask.class);

    private final Duration interval;
    private final int phase;
    private final String name;
    private final CountDownLatch stopping = new CountDownLatch(1);
    private volatile @Nullable Thread thread;
    private volatile boolean running;

    /**
     * @param interval the pause between two runs
     * @param phase those with a lower one start before this one and stop after it
     */
    protected PeriodicTask(String name, Duration interval, int phase) {
        this.name = name;
        this.interval = interval;
        this.phase = phase;
    }

    protected abstract void runOnce();

    private void run() {
        do {
            try {
                runOnce();
            } catch (PosthornException e) {
                log.debug("{}: a run failed; trying again", name, e);
            } catch (RuntimeException bug) {
                log.error("{}: an error nobody expected; going on", name, bug);
            }
        } while (!pause(interval));
    }

    /** Waits so long; true, at once, if it is to stop. */
    protected final boolean pause(Duration duration) {
        try {
            return stopping.await(duration.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    @Override
    public final void start() {
        running = true;
        Thread started = new Thread(this::run, name);
        started.setDaemon(true);
        started.start();
        thread = started;
    }

    /** Waits for the run that is under way. */
    @Override
    public final void stop() {
        running = false;
        stopping.countDown();
        try {
            Thread started = thread;
            if (started != null) {
                started.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public final boolean isRunning() {
        return running;
    }

    @Override
    public final int getPhase() {
        return phase;
    }
}
