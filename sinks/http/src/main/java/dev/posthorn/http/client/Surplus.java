package dev.posthorn.http.client;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.apache.hc.core5.http.nio.CapacityChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads long answers on slowly. An answer is read to its end, though only its beginning is kept: a receiver that sends
 * one without end would take of the threads that all share as much as it can send. Beyond its beginning an answer goes on
 * in portions, in turn with those of all sinks, which together come to no more than 100 MiB a second; meanwhile the
 * network holds the sender back.
 */
final class Surplus {

    static final Surplus SHARED = new Surplus();

    /** More than any answer that means something. */
    static final int FREE = 256 << 10;

    private static final Logger log = LoggerFactory.getLogger(Surplus.class);
    private static final int LEAST = 64 << 10;
    private static final int BYTES_PER_TURN = 1 << 20;
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Queue<CapacityChannel> waiting = new ArrayDeque<>();
    private boolean planned;

    /** Lets it have its portion when it is its turn. */
    synchronized void join(CapacityChannel answer) {
        waiting.add(answer);
        plan();
    }

    private synchronized void plan() {
        if (!planned && !waiting.isEmpty()) {
            planned = true;
            Timer.after(TURN_NANOS, this::turn);
        }
    }

    private void turn() {
        List<CapacityChannel> served = served();
        served.forEach(each -> serve(each, BYTES_PER_TURN / served.size()));
        synchronized (this) {
            planned = false;
        }
        plan();
    }

    /** Those that have waited longest, and no more than get something worth while. */
    private synchronized List<CapacityChannel> served() {
        List<CapacityChannel> served = new ArrayList<>();
        while (!waiting.isEmpty() && served.size() < BYTES_PER_TURN / LEAST) {
            served.add(waiting.remove());
        }
        return served;
    }

    private static void serve(CapacityChannel answer, int bytes) {
        try {
            answer.update(bytes);
        } catch (IOException | RuntimeException over) {
            log.debug("An answer ended while it was waited with", over);
        }
    }
}
