package dev.posthorn.simulation;

import dev.posthorn.simulation.SimulatedInstance.Owner;
import dev.posthorn.simulation.Tables.EventRow;
import java.util.HashSet;
import java.util.Set;

/** What has become of an event at one subscription, told from what was sent, answered and settled, not from tables. */
final class Fate {

    /** What is known by the last settle that concerned it. */
    enum Known {
        /** Neither delivered nor in trouble. */
        NOTHING,
        WAITS,
        HELD,
        /** Delivered by its row, while the mark has not come to it yet. */
        DELIVERED_EARLY,
        DELIVERED,
        FAILED,
        DISCARDED
    }

    final EventRow event;
    Known known = Known.NOTHING;
    private Known knownToStandby = Known.NOTHING;
    int sends;
    int arrivals;
    long arrivedAt;
    int kills;
    private int killsBeforeStandby;

    /** How often the lane's forced take-overs were forgotten since it first ended a process. */
    int forgiven;

    int replays;
    boolean deferred;
    boolean buried;

    /** Whether it arrived and whoever had sent it did not wait for the answer any more. */
    boolean answeredLate;

    /** An owner, and the replay that it sent the event for; 0 if for none. */
    record Sender(Owner owner, long replayId) {}

    /** Those whom the receiver told that it has it. */
    final Set<Sender> acknowledged = new HashSet<>();

    /** Those who certainly have heard that. */
    final Set<Sender> heard = new HashSet<>();

    Fate(EventRow event) {
        this.event = event;
    }

    /** A stand-by has what was settled so far. */
    void remember() {
        knownToStandby = known;
        killsBeforeStandby = kills;
    }

    /** The stand-by is promoted. Whoever sent the event may have to do so again, having heard or not. */
    void goBack() {
        known = knownToStandby;
        kills = killsBeforeStandby;
        forgiven++;
        heard.clear();
    }

    boolean isEnded() {
        return known == Known.DELIVERED || known == Known.FAILED || known == Known.DISCARDED;
    }

    /** Deferred and replayed events are outside of their key's order, and so are those that it went on without. */
    boolean isOutOfOrder() {
        return deferred || buried || event.recorded.event().deliverAt() != null;
    }
}
