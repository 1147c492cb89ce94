package dev.posthorn.server.subscriptions;

import dev.posthorn.server.documents.SecretPlaces;
import dev.posthorn.subscription.Subscription;

/**
 * What a caller asks for, checked.
 *
 * @param subscription as it would be served
 * @param parted as it would be stored
 */
record SubscriptionDraft(Subscription subscription, SecretPlaces.Parted parted) {}
