package dev.posthorn.spring.metrics;

import dev.posthorn.error.PosthornException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/** Has figures read now and then, on a thread of its own, so that no scrape waits for the database. */
final class MetricsReader implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(MetricsReader.class);

    private final Duration interval;
    private final Runnable read;
    private @Nullable Round round;

    MetricsReader(Duration interval, Runnable read) {
        this.interval = interval;
        this.read = read;
    }

    /** The last to start and the first to stop: it only looks on. */
    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }

    @Override
    public synchronized void start() {
        if (round == null) {
            round = new Round();
            round.thread.start();
        }
    }

    @Override
    public synchronized void stop() {
        Round stopped = round;
        round = null;
        if (stopped != null) {
            stopped.stop();
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return round != null;
    }

    /** What fails now may succeed the next time. */
    void readOnce() {
        try {
            read.run();
        } catch (PosthornException e) {
            log.debug("Figures could not be read; trying again in {}", interval, e);
        } catch (RuntimeException bug) {
            log.error("Figures could not be read, for a reason that nobody expected; going on", bug);
        }
    }

    /** From a start to a stop, of which a context may have several. */
    private final class Round implements Runnable {

        private final CountDownLatch stopping = new CountDownLatch(1);
        private final Thread thread = new Thread(this, "posthorn-metrics-reader");

        Round() {
            thread.setDaemon(true);
        }

        @Override
        public void run() {
            try {
                do {
                    readOnce();
                } while (!stopping.await(interval.toMillis(), TimeUnit.MILLISECONDS));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        void stop() {
            stopping.countDown();
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
