package dev.posthorn.server.subscriptions;

import dev.posthorn.relay.Subscription;
import dev.posthorn.server.subscriptions.sinks.SecretPlaces;

/**
 * What a caller asks for, checked.
 *
 * @param subscription as it would be served
 * @param parted as it would be stored
 */
record Draft(Subscription subscription, SecretPlaces.Parted parted) {}
