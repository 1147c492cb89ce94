package dev.posthorn.status;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * What has become of an event.
 *
 * @param subscriptions one for each subscription that wants it, by name; empty if none does
 */
public record EventStatus(UUID eventId, List<SubscriptionStatus> subscriptions) {

    public EventStatus {
        subscriptions = List.copyOf(subscriptions);
    }

    /** The worst of its subscriptions'; empty if none wants it. */
    public Optional<Status> overall() {
        return Status.worst(
                subscriptions.stream().map(SubscriptionStatus::status).toList());
    }
}
