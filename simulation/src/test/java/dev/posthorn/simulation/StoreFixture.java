package dev.posthorn.simulation;

import dev.posthorn.event.Event;
import dev.posthorn.log.EventLog;
import dev.posthorn.log.LaneScope;
import dev.posthorn.log.Mark;
import dev.posthorn.relay.store.Command;
import dev.posthorn.relay.store.FrontStore;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.LaneStore;
import dev.posthorn.relay.store.LeaseStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** A database behind the relay's ports, with writers and people around it. */
interface StoreFixture extends AutoCloseable {

    /**
     * How a replay is to go.
     *
     * @param ratePerSecond 0 if it has none
     * @param canary how many go first; 0 if it has none
     * @param stopAtFailureRate 1 if it is not to stop
     */
    record Plan(double ratePerSecond, int canary, boolean goesOn, double stopAtFailureRate) {

        static final Plan PLAIN = new Plan(0, 0, false, 1);
    }

    Instant START = Instant.parse("2026-01-01T00:00:00Z");

    /** A transaction of a writer; its number is of no meaning but here. */
    int begin();

    long insert(int transaction, Event event);

    void commit(int transaction);

    void rollback(int transaction);

    EventLog log(LaneScope scope);

    LeaseStore leases(String instance);

    LaneStore lane(LaneGrant grant);

    FrontStore fronts();

    /** How far the lane is settled: by itself, or where its front stands. */
    Mark standing(long lane);

    /** How many events the lane's receipts tell of, one after another. */
    List<Long> receipts(long lane);

    void command(long subscriptionId, Command.Kind kind, long seq);

    /** Starts a replay of these events: their dead letters, or from the log those that have none. */
    long replay(long subscriptionId, Plan plan, List<Long> seqs);

    /** Lets it go on: resumes it, or says go to the rest. */
    void goOn(long replayId);

    void cancel(long replayId);

    /** Its state and what became of its items. */
    String accounts(long replayId);

    void pause(String subscription, boolean paused);

    /** The same by somebody whose transaction is to be seen only when it is committed. */
    void pause(int transaction, String subscription, boolean paused);

    /** Whether it is paused, and all who serve it obey. */
    boolean isQuiet(String subscription);

    void advance(Duration time);

    /** From now on the database takes no delivery row of this event. */
    void refuse(long seq);

    /** How many attempts are on record for the event. */
    long attempts(long seq);

    @Override
    void close();
}
