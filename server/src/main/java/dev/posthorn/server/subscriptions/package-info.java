/**
 * Subscriptions: asked for over REST, kept with their revisions, and served by every instance's relay. Read {@code
 * HubSubscriptions} first, then {@code SubscriptionKeeper}. What is public is for {@code Wiring} and for those who wake the
 * relay or list what it serves.
 */
@NullMarked
package dev.posthorn.server.subscriptions;

import org.jspecify.annotations.NullMarked;
