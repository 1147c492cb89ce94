/**
 * A subscription's document, and what the relay serves of it. Read {@code SubscriptionDocument} first, then {@code
 * SubscriptionFactory}, which is public for {@code subscriptions} alone.
 */
@NullMarked
package dev.posthorn.server.subscriptions.definition;

import org.jspecify.annotations.NullMarked;
