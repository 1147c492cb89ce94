/**
 * Consuming: a consumer for each method with {@link dev.posthorn.spring.InboxListener}, in the application's transactions.
 * Read {@code InboxListeners} first. Nobody comes in but Spring.
 */
@NullMarked
package dev.posthorn.spring.inbox;

import org.jspecify.annotations.NullMarked;
