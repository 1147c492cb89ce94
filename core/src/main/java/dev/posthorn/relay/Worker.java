package dev.posthorn.relay;

import dev.posthorn.log.Session;
import dev.posthorn.relay.lane.Lane;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thread with a connection that steps its lanes, each whenever it has something to do. */
final class Worker implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(Worker.class);

    private static final long LONGEST_NAP = 1_000_000_000;

    /**
     * Answers come one by one, and waking up for each costs more than taking it. A step that follows the last one
     * sooner than this waits for more of them.
     */
    private static final long GATHERING = 150_000;

    private final Session session;
    private final Thread thread;
    private final List<Lane> lanes = new CopyOnWriteArrayList<>();
    private volatile boolean napping;
    private volatile boolean signalled;
    private volatile boolean stopping;

    /** Since when it has been in the step that it is in. */
    private volatile long stepBegan;

    private volatile boolean stepping;

    Worker(String name, Session session) {
        this.session = session;
        this.thread = new Thread(this, name);
        thread.setDaemon(true);
    }

    Session session() {
        return session;
    }

    void start() {
        thread.start();
    }

    void add(Lane lane) {
        lane.onSignal(this::signal);
        lanes.add(lane);
        signal();
    }

    /** For how long it has been in one step of a lane; an idle worker is in none. From any thread. */
    long standsStillNanos() {
        long began = stepBegan;
        return stepping ? System.nanoTime() - began : 0;
    }

    int load() {
        return lanes.size();
    }

    @Override
    public void run() {
        while (!stopping) {
            signalled = false;
            long began = System.nanoTime();
            long nap = LONGEST_NAP;
            for (Lane lane : lanes) {
                nap = Math.min(nap, step(lane));
            }
            if (nap > 0) {
                nap(nap);
                if (signalled) {
                    gather(began);
                }
            }
        }
        session.close();
    }

    private long step(Lane lane) {
        if (lane.isEnded()) {
            lanes.remove(lane);
            return LONGEST_NAP;
        }
        stepBegan = System.nanoTime();
        stepping = true;
        try {
            return lane.step();
        } catch (Throwable bug) {
            // Without its thread the other lanes would stand still too.
            log.error("Lane {}: an error nobody expected; trying again in a second", lane.name(), bug);
            return LONGEST_NAP;
        } finally {
            stepping = false;
        }
    }

    private void nap(long nanos) {
        if (nanos > 0) {
            napping = true;
            if (!signalled) {
                LockSupport.parkNanos(nanos);
            }
            napping = false;
        }
    }

    /** After a long nap there is nothing to wait for: an idle lane takes what comes at once. */
    private static void gather(long began) {
        long left = GATHERING - (System.nanoTime() - began);
        if (left > 0) {
            LockSupport.parkNanos(left);
        }
    }

    /** There is something to do: an answer, an order, a commit. From any thread. */
    void signal() {
        signalled = true;
        if (napping) {
            napping = false;
            LockSupport.unpark(thread);
        }
    }

    void stop() {
        stopping = true;
        signal();
        try {
            thread.join(LONGEST_NAP / 100_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
