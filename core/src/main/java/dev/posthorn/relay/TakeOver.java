package dev.posthorn.relay;

import dev.posthorn.relay.lane.Lane;
import dev.posthorn.relay.store.LaneGrant;
import dev.posthorn.relay.store.Lease;
import dev.posthorn.relay.store.LeaseStore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lanes that were free and are this process's now, and how those subscriptions stood for which they were wanted. */
final class TakeOver {

    private static final Logger log = LoggerFactory.getLogger(TakeOver.class);

    /** So many lanes are taken by one statement. */
    private static final int MOST_LANES = 2000;

    /** Each by a line of its own in the log; more by one together. */
    private static final int TOLD_ONE_BY_ONE = 20;

    private final LeaseStore store;
    private final ProcessSession session;
    private final Map<Long, LeaseStore.Claim> claims = new LinkedHashMap<>();
    private final List<LaneGrant> grants = new ArrayList<>();

    private TakeOver(LeaseStore store, ProcessSession session) {
        this.store = store;
        this.session = session;
    }

    /** Takes what these lack, as far as it is free. */
    static TakeOver of(Collection<Holding> some, LeaseStore store, ProcessSession session) {
        TakeOver taken = new TakeOver(store, session);
        some.stream()
                .filter(holding -> holding.lack() > 0 && !holding.isLosing())
                .forEach(holding -> taken.claims.put(holding.id, holding.claim()));
        taken.acquire();
        return taken;
    }

    private void acquire() {
        List<LeaseStore.Claim> some = new ArrayList<>();
        int count = 0;
        for (LeaseStore.Claim claim : claims.values()) {
            some.add(claim);
            count += claim.count();
            if (count >= MOST_LANES) {
                acquire(some);
                some.clear();
                count = 0;
            }
        }
        acquire(some);
    }

    private void acquire(List<LeaseStore.Claim> some) {
        if (!some.isEmpty() && session.renewIfDue()) {
            grants.addAll(store.acquire(some, session.trust()));
        }
    }

    boolean isEmpty() {
        return grants.isEmpty();
    }

    /** Starts them, and gives those up of which nothing is known any more. Returns those whose lanes they are. */
    Set<Holding> start(Map<Long, Holding> byId, LeaseKeeper.LaneStarter starter) {
        List<Lease> unwanted = new ArrayList<>();
        Set<Holding> begun = new LinkedHashSet<>();
        for (LaneGrant grant : grants) {
            Holding holding = byId.get(grant.subscriptionId());
            if (holding == null || !holding.stands(claims.get(grant.subscriptionId()))) {
                unwanted.add(grant.lease());
            } else {
                start(holding, grant, starter);
                begun.add(holding);
            }
        }
        tell();
        if (!unwanted.isEmpty()) {
            store.release(unwanted);
        }
        return begun;
    }

    private static void start(Holding holding, LaneGrant grant, LeaseKeeper.LaneStarter starter) {
        Lane started = starter.start(grant, holding.subscription, holding.orders());
        Lane former = holding.add(started);
        if (former != null) {
            // It was lost, and nobody had heard of that yet: the lane is this process's again, under another epoch.
            former.lose();
        }
    }

    private void tell() {
        if (grants.size() > TOLD_ONE_BY_ONE) {
            log.info(
                    "{} lanes, from {} on: taken over",
                    grants.size(),
                    grants.get(0).name());
        } else {
            grants.forEach(grant -> log.info(
                    "Lane {}: taken over (epoch {})",
                    grant.name(),
                    grant.lease().epoch()));
        }
    }
}
