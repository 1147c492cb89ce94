package dev.posthorn.relay;

import dev.posthorn.log.Snapshot;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Subscriptions, their lanes and who owns them, shared by all instances. */
interface LeaseStore {

    /** Finds the subscription by its name, or makes it with its lanes. Returns its id. */
    long register(Subscription subscription);

    /** Asks for another number of lanes. False while another change is under way. */
    boolean requestLanes(long subscriptionId, int lanes);

    /** Makes this instance count in the sharing, for as long as a lease lasts. */
    void appear(long subscriptionId, Subscription subscription);

    /** The instance is going: its share is the others' from now on. */
    void disappear();

    /** Renews what is still this instance's; returns the ids of those lanes. */
    Set<Long> renew(List<Lease> leases, Subscription subscription);

    /** Gives a lane up. */
    void release(Lease lease);

    Sharing sharing(long subscriptionId);

    /** Takes over up to so many lanes that nobody owns. */
    List<LaneGrant> acquire(long subscriptionId, Subscription subscription, Sharing sharing, int count);

    /** Takes the next step of a change of the number of lanes, if its time has come. */
    void advanceLaneChange(long subscriptionId);

    /**
     * How a subscription stands.
     *
     * @param instances those that serve it and were heard of lately, in a fixed order
     * @param changing another number of lanes is wanted
     * @param stopAt the snapshot at which all lanes stop for it
     */
    record Sharing(
            int generation,
            int lanes,
            List<String> instances,
            boolean changing,
            @Nullable Snapshot stopAt) {

        public Sharing {
            instances = List.copyOf(instances);
        }

        /** How many lanes this instance is to have. The odd ones go to different instances for different subscriptions. */
        int quota(String instance, long subscriptionId) {
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
