package dev.posthorn.relay;

import dev.posthorn.log.PostgresLog;
import dev.posthorn.log.Session;
import dev.posthorn.relay.budget.Deliveries;
import dev.posthorn.relay.budget.LaneOrders;
import dev.posthorn.relay.front.Front;
import dev.posthorn.relay.front.FrontPorts;
import dev.posthorn.relay.lane.Lane;
import dev.posthorn.relay.lane.LanePorts;
import dev.posthorn.relay.postgres.PostgresFrontStore;
import dev.posthorn.relay.postgres.PostgresLaneStore;
import dev.posthorn.relay.postgres.Standings;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.Ticker;
import dev.posthorn.subscription.RelayListener;
import dev.posthorn.subscription.Subscription;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thread with a connection that steps the lanes of its {@link Crew}. */
final class Worker implements Runnable, Stepping {

    private static final Logger log = LoggerFactory.getLogger(Worker.class);

    private static final long PATIENCE_MILLIS = 10_000;
    private static final long SECOND = 1_000_000_000;

    /**
     * Answers come one by one, and waking up for each costs more than taking it. A step that follows the last one
     * sooner than this waits for more of them.
     */
    private static final long GATHERING = 150_000;

    private final Session session;
    private final Thread thread;
    private final Standings standings;
    private final Deliveries deliveries;
    private final Crew crew;
    private volatile boolean napping;
    private volatile boolean signalled;
    private volatile boolean stopping;

    /** Since when it has been in the step that it is in. */
    private volatile long stepBegan;

    private volatile boolean stepping;

    Worker(String name, Session session, Deliveries deliveries) {
        this.session = session;
        this.deliveries = deliveries;
        this.thread = new Thread(this, name);
        thread.setDaemon(true);
        Front front = front(session, Ticker.SYSTEM);
        this.standings = new Standings(session, Ticker.SYSTEM, front::reads);
        this.crew = new Crew(front, standings::prefetch, Ticker.SYSTEM, this);
        crew.onSignal(this::signal);
    }

    /** What the lanes of a connection ride on. */
    static Front front(Session session, Ticker ticker) {
        Session ridden = session.bound();
        return new Front(new FrontPorts(
                new PostgresFrontStore(ridden),
                scope -> new PostgresLog(ridden, scope),
                ticker,
                new SplittableRandom()));
    }

    Session session() {
        return session;
    }

    void start() {
        thread.start();
    }

    /** Makes a lane of what it has to do with on this connection, and steps it from now on. */
    Lane start(LaneGrant grant, Subscription subscription, LaneOrders orders, RelayListener listener, String instance) {
        Session lanes = session.bound();
        Lane lane = new Lane(
                grant,
                subscription,
                new LanePorts(
                        new PostgresLog(lanes, grant.scope()),
                        new PostgresLaneStore(lanes, grant, instance, standings),
                        crew.ride(),
                        deliveries,
                        listener,
                        Ticker.SYSTEM,
                        new SplittableRandom(),
                        instance),
                orders);
        crew.add(lane);
        return lane;
    }

    /** Something was committed. */
    void wake() {
        crew.wake();
    }

    /** For how long it has been in one step of a lane; an idle worker is in none. From any thread. */
    long standsStillNanos() {
        long began = stepBegan;
        return stepping ? System.nanoTime() - began : 0;
    }

    int load() {
        return crew.load();
    }

    @Override
    public void run() {
        while (!stopping) {
            signalled = false;
            long began = System.nanoTime();
            long nap = step();
            if (nap > 0) {
                nap(nap);
                if (signalled) {
                    gather(began);
                }
            }
        }
        session.close();
    }

    private long step() {
        try {
            return crew.step();
        } catch (Throwable bug) {
            // Without this thread its lanes would be owned and served by nobody.
            log.error("{}: an error nobody expected; going on in a second", thread.getName(), bug);
            return SECOND;
        }
    }

    @Override
    public long step(Lane lane) {
        stepBegan = System.nanoTime();
        stepping = true;
        try {
            return lane.step();
        } finally {
            stepping = false;
        }
    }

    @Override
    public void step(Front front) {
        stepBegan = System.nanoTime();
        stepping = true;
        try {
            front.step();
        } finally {
            stepping = false;
        }
    }

    private void nap(long nanos) {
        napping = true;
        if (!signalled) {
            LockSupport.parkNanos(nanos);
        }
        napping = false;
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
            thread.join(PATIENCE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
