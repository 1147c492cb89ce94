package dev.posthorn.status;

import dev.posthorn.event.RecordedEvent;
import dev.posthorn.subscription.Attempt;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An event with everything that is known about it.
 *
 * @param subscriptions one for each subscription that wants it, by name; empty if none does
 * @param attempts those of which a record is kept, by subscription, the first one first
 */
public record FullEvent(
        RecordedEvent event, List<SubscriptionStatus> subscriptions, Map<String, List<Attempt>> attempts) {

    public FullEvent {
        subscriptions = List.copyOf(subscriptions);
        attempts = Map.copyOf(attempts);
    }

    /** The worst of its subscriptions'; empty if none wants it. */
    public Optional<Status> overall() {
        return Status.worst(
                subscriptions.stream().map(SubscriptionStatus::status).toList());
    }
}
