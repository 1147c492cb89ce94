package dev.posthorn.relay.front;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What was read for riders and is not in their hands yet, because others have theirs first. Each is given all that has come
 * together for it: so who waits long goes on by the connection that it then has, and is awake once for all of it.
 */
final class Offers {

    /** Who has waited the longest comes first. */
    private final Map<Rider, List<Handed>> waiting = new LinkedHashMap<>();

    private final Trail trail;
    private final FrontPorts.Portions portions;
    private int count;
    private boolean full;

    Offers(Trail trail, FrontPorts.Portions portions) {
        this.trail = trail;
        this.portions = portions;
    }

    void add(Rider rider, Handed event) {
        waiting.computeIfAbsent(rider, absent -> new ArrayList<>(1)).add(event);
        count++;
    }

    /** Whether as much waits as may. */
    boolean areMany() {
        return count >= portions.offered();
    }

    /** Whether so much is read and not settled that nothing more is to be read before half of it is. */
    boolean isFull() {
        boolean tooManyBytes = count > 0 && isFull(trail.heldBytes(), portions.bytes());
        full = tooManyBytes || isFull(trail.heldEvents(), portions.inHand()) || isFull(count, portions.offered());
        return full;
    }

    private boolean isFull(long there, long most) {
        return full ? there > most / 2 : there >= most;
    }

    /** Whether somebody may be given something: whoever is, is awake until it has settled that. */
    boolean mayBeGiven() {
        return count > 0 && trail.held() - count < portions.inHand();
    }

    /** Whether some wait until others have settled what they have. */
    boolean haveToWait() {
        return count > 0 && !mayBeGiven();
    }

    /** Whose turn it is. */
    Rider first() {
        return waiting.keySet().iterator().next();
    }

    /** All that waits for the rider, in order; nothing of it waits any more. */
    List<Handed> take(Rider rider) {
        List<Handed> all = waiting.remove(rider);
        if (all == null) {
            return List.of();
        }
        count -= all.size();
        return all;
    }

    /** The rider is given nothing more. Returns the first of what waits for it, which is held yet. */
    Optional<Handed> withdraw(Rider rider) {
        List<Handed> all = take(rider);
        all.stream().skip(1).forEach(Handed::release);
        return all.stream().findFirst();
    }
}
