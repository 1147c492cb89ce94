/**
 * Delivering from the application's process: the subscriptions of its settings, their sinks, and the relay that serves them.
 * Read {@code RelayRunner} first. {@code SubscriptionSource} and {@code RelayConnections} are public for the inbox, whose
 * listeners have subscriptions too.
 */
@NullMarked
package dev.posthorn.spring.relay;

import org.jspecify.annotations.NullMarked;
