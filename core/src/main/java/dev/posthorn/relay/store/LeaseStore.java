package dev.posthorn.relay.store;

import dev.posthorn.error.PosthornException;
import dev.posthorn.log.Snapshot;
import dev.posthorn.subscription.Subscription;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Subscriptions, their lanes and who owns them, shared by all processes; and this process's own session, under which it
 * owns lanes. Whatever is asked about many is one statement, or a handful.
 *
 * <p>It ends with its connection, until it is told to {@link #begin()} anew: what was read on another counts no more,
 * and even ids may have been given out again.
 */
public interface LeaseStore {

    /**
     * Begins, or begins anew. From the next renewal on, whatever the server may still be doing of what was asked on the
     * former connection takes nothing and gives up nothing any more.
     */
    void begin();

    /** Whether it is still on the connection that it began with. */
    boolean isCurrent();

    /**
     * Finds subscriptions by their names, or makes them, each with its first generation.
     *
     * @return those that were found or made; one that is missing is not there and others are to make it, or was refused
     */
    Registered register(List<Subscription> subscriptions);

    /**
     * What came of registering some.
     *
     * @param ids by name
     * @param refused what the database said about those that it would not take
     */
    record Registered(Map<String, Long> ids, List<PosthornException> refused) {
        public Registered {
            ids = Map.copyOf(ids);
            refused = List.copyOf(refused);
        }
    }

    /**
     * Wants the filter and the number of lanes that the subscriptions say, by id. A generation that was wanted before and
     * has not begun is replaced, or withdrawn if the current one is as wanted. Does nothing about one of which a newer
     * revision was asked for, or that is not there. Returns what the database refused.
     */
    List<PosthornException> request(Map<Long, Subscription> wishes);

    /**
     * Begins a session, under an id that nobody ever had: one that is counted could be given out again after a crash of
     * the database. Whatever others ordered before, it obeys: it has no lane yet. Ends others as a renewal
     * does. Returns the id.
     */
    UUID open(Duration ttl);

    /**
     * Renews this session, and ends those of others that have expired, unless they are being renewed at this moment.
     * False if it has itself expired or was ended: it does not come back, since others have counted on that.
     *
     * @param obeys the snapshot of a look all of whose orders are obeyed; null to leave what was said before
     */
    boolean renew(Duration ttl, @Nullable Snapshot obeys);

    /**
     * After a doubt: gives up whatever this session owns that is not among these, and tells which of these it does not
     * own.
     */
    Doubted reconcile(Collection<Lease> held);

    /**
     * Lanes that were held and are not owned.
     *
     * @param lost lanes that others may own
     * @param ended lanes that nobody can own any more: their generation has ended, or their subscription was deleted
     */
    record Doubted(Set<Long> lost, Set<Long> ended) {
        public Doubted {
            lost = Set.copyOf(lost);
            ended = Set.copyOf(ended);
        }
    }

    /** Makes this session count in the sharing of some subscriptions, and no longer in that of others. */
    void serve(Collection<Long> begun, Collection<Long> ended);

    /**
     * Looks at what has changed since an earlier look on this connection, and at some others besides.
     *
     * @param since that look's snapshot; null: at whatever this session serves
     */
    Look look(@Nullable Snapshot since, Collection<Long> others);

    /**
     * A wish for lanes.
     *
     * @param sharing how the subscription stood at the last look
     * @param count how many at most
     */
    record Claim(long subscriptionId, Subscription subscription, Sharing sharing, int count) {}

    /** Takes over lanes that nobody owns, by a statement that begins after whoever owned them was ended. */
    List<LaneGrant> acquire(List<Claim> claims, SessionTrust trust);

    /** Gives lanes up. */
    void release(Collection<Lease> leases);

    /**
     * Takes the next step towards the wanted generation of each, if its time has come; none while the subscription is
     * paused. Returns what the database refused.
     */
    List<PosthornException> advance(Collection<Long> subscriptionIds);

    /** Forgets changes that every session has seen. */
    void trim();

    /**
     * Takes the session out of the sharing, and ends it if it owns no lane any more. Else it stays until its time: what its
     * lanes have sent may still be on its way.
     */
    void close();
}
