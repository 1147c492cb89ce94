package dev.posthorn.server.subscriptions;

import dev.posthorn.server.documents.SecretPlaces;
import dev.posthorn.server.subscriptions.sinks.SinkDocument;
import dev.posthorn.subscription.Subscription;

/**
 * What a caller asks for, checked.
 *
 * @param subscription as it would be served
 * @param sink where to, with its secrets
 * @param parted as it would be stored
 */
record SubscriptionDraft(Subscription subscription, SinkDocument sink, SecretPlaces.Parted parted) {}
