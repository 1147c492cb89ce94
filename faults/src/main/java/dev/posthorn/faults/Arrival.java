package dev.posthorn.faults;

/** An event that a process has sent. The same one may come twice at a time: each is a thing of its own. */
final class Arrival {

    private final String instance;
    private final String subscription;
    private final Change change;
    private final Treatment treatment;

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

    /** Whether they are different events of one key. */
    boolean isAnotherOfItsKey(Arrival other) {
        return change.aggregate().equals(other.change.aggregate())
                && !change.id().equals(other.change.id());
    }
}
