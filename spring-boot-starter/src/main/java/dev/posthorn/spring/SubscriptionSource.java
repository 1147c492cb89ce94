package dev.posthorn.spring;

import dev.posthorn.relay.Subscription;
import java.util.List;

/** Somebody whose subscriptions the relay of this application serves besides those of the application itself. */
interface SubscriptionSource {

    List<Subscription> subscriptions();
}
