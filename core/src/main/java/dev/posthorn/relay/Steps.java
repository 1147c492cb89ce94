package dev.posthorn.relay;

import dev.posthorn.log.PostgresLog;
import dev.posthorn.log.Session;
import dev.posthorn.relay.budget.Deliveries;
import dev.posthorn.relay.front.Front;
import dev.posthorn.relay.lane.Lane;
import dev.posthorn.relay.lane.LanePorts;
import dev.posthorn.relay.postgres.PostgresLaneStore;
import dev.posthorn.relay.postgres.Standings;
import dev.posthorn.relay.store.LeaseStore;
import dev.posthorn.relay.store.Ticker;
import dev.posthorn.subscription.RelayListener;
import dev.posthorn.subscription.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/** A relay without threads: whoever holds it decides when its session is renewed and when lanes are stepped. */
public final class Steps implements AutoCloseable {

    private final Session session;
    private final LeaseKeeper keeper;
    private final Crew crew;

    Steps(
            Session session,
            LeaseStore leases,
            String instance,
            List<Subscription> subscriptions,
            RelayListener listener,
            Duration sessionTtl,
            Ticker ticker) {
        this.session = session;
        Front front = Worker.front(session, ticker);
        Standings standings = new Standings(session, ticker, front::reads);
        this.crew = new Crew(front, standings::prefetch, ticker, new Unguarded());
        Deliveries deliveries = Deliveries.ofThisProcess();
        this.keeper = new LeaseKeeper(
                leases,
                subscriptions,
                (grant, subscription, orders) -> {
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
                                    ticker,
                                    new SplittableRandom(),
                                    instance),
                            orders);
                    crew.add(lane);
                    return lane;
                },
                sessionTtl,
                ticker);
    }

    /** A bug is for the test to find, not to be outlived. */
    private static final class Unguarded implements Stepping {

        @Override
        public long step(Lane lane) {
            return lane.step();
        }

        @Override
        public void failed(Lane lane, Throwable bug) {
            failed(bug);
        }

        @Override
        public void failed(Throwable bug) {
            if (bug instanceof RuntimeException unchecked) {
                throw unchecked;
            }
            throw (Error) bug;
        }
    }

    /** One pass of the lease keeper: renew, share, take over. */
    public void pass() {
        keeper.pass();
    }

    /** Serves these subscriptions from the next pass on, and no others. */
    public void serve(List<Subscription> subscriptions) {
        keeper.wishes().replace(subscriptions);
    }

    /** One step of every lane that has something to do. */
    public void step() {
        crew.step();
    }

    public List<Lane> lanes() {
        return keeper.lanes();
    }

    /** Settles what was sent and gives the lanes up. The sink has to have answered. */
    public void leave() {
        keeper.leaveAll();
        step();
        step();
        keeper.releaseLeft();
        keeper.close();
    }

    /** Ends like a crash: nothing is settled or given up. */
    @Override
    public void close() {
        session.close();
    }
}
