package dev.posthorn.relay.store;

import dev.posthorn.log.Filter;
import dev.posthorn.log.Snapshot;
import dev.posthorn.subscription.Subscription;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Subscriptions, their lanes and who owns them, shared by all instances. */
public interface LeaseStore {

    /** The id of a subscription that does not exist. */
    long NOT_THERE = 0;

    /** The number of the connection. What was read on another counts no more: even ids may have been given out again. */
    long connection();

    /**
     * Finds the subscription by its name, or makes it with its first generation. Returns its id; {@link #NOT_THERE} if
     * it is not there and others are to make it.
     */
    long register(Subscription subscription);

    /**
     * Wants the filter and the number of lanes that the subscription says. A generation that was wanted before and has
     * not begun is replaced, or withdrawn if the current one is as wanted. Does nothing if a newer revision was asked for.
     */
    void request(long subscriptionId, Subscription subscription);

    /**
     * Makes this instance count in the sharing, for as long as a lease lasts. False if there is no such subscription.
     *
     * @param silent whether its lanes have nothing on its way and no orders to send: then, if the subscription is paused,
     *     the instance obeys
     */
    boolean appear(long subscriptionId, Subscription subscription, boolean silent);

    /** The instance no longer serves the subscription: its share is the others' from now on. */
    void disappear(long subscriptionId);

    /** The instance is going. */
    void disappear();

    /** Renews what is still this instance's; returns the ids of those lanes. */
    Set<Long> renew(List<Lease> leases, Subscription subscription);

    /** Which of these lanes nobody can own any more: their generation has ended, or their subscription was deleted. */
    Set<Long> ended(List<Lease> leases);

    /** Gives a lane up. */
    void release(Lease lease);

    Sharing sharing(long subscriptionId);

    /** Takes over up to so many lanes that nobody owns. */
    List<LaneGrant> acquire(long subscriptionId, Subscription subscription, Sharing sharing, int count);

    /** Takes the next step towards the wanted generation, if its time has come; none while the subscription is paused. */
    void advanceChange(long subscriptionId);

    /**
     * How a subscription stands.
     *
     * @param lanes of the current generation, like the filter
     * @param instances those that serve it and were heard of lately, in a fixed order
     * @param revision of what was asked for last
     * @param change the change to another generation, if one is wanted
     * @param stopAt the snapshot at which all lanes stop for it
     * @param letGoSeq events below it are not waited for any longer
     */
    record Sharing(
            int generation,
            int lanes,
            Filter filter,
            List<String> instances,
            long revision,
            @Nullable UUID change,
            @Nullable Snapshot stopAt,
            boolean paused,
            long letGoSeq) {

        public Sharing {
            instances = List.copyOf(instances);
        }

        public boolean isChanging() {
            return change != null;
        }

        /** How many lanes this instance is to have. The odd ones go to different instances for different subscriptions. */
        public int quota(String instance, long subscriptionId) {
            int count = instances.size();
            int place = instances.indexOf(instance);
            if (place < 0) {
                return 0;
            }
            int turn = (int) ((place + subscriptionId) % count);
            return lanes / count + (turn < lanes % count ? 1 : 0);
        }
    }
}
