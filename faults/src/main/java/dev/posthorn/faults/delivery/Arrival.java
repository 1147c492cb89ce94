package dev.posthorn.faults.delivery;

import dev.posthorn.faults.harness.Change;
import java.time.Duration;
import java.util.UUID;

/** An event that a process has sent. The same one may come twice at a time: each is a thing of its own. */
final class Arrival {

    /** Half of the shortest timeout with which a run sends. */
    private static final Duration SOON = Duration.ofMillis(250);

    private final String instance;
    private final String subscription;
    private final Change change;
    private final Treatment treatment;
    private final long at = System.nanoTime();

    Arrival(String instance, String subscription, Change change, Treatment treatment) {
        this.instance = instance;
        this.subscription = subscription;
        this.change = change;
        this.treatment = treatment;
    }

    String instance() {
        return instance;
    }

    String subscription() {
        return subscription;
    }

    Change change() {
        return change;
    }

    Treatment treatment() {
        return treatment;
    }

    boolean isFrom(String instance, String subscription) {
        return this.instance.equals(instance) && this.subscription.equals(subscription);
    }

    /** Whether its sender may have given it up before it is answered now. */
    boolean isLate() {
        return System.nanoTime() - at > SOON.toNanos();
    }

    boolean isSameAs(Arrival other) {
        UUID id = change.id();
        UUID otherId = other.change.id();
        return id.equals(otherId) && subscription.equals(other.subscription);
    }

    /** Whether they are different events of one key. */
    boolean isAnotherOfItsKey(Arrival other) {
        return change.aggregate().equals(other.change.aggregate())
                && !change.id().equals(other.change.id());
    }
}
