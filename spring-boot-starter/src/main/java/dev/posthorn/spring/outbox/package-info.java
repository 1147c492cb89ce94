/**
 * Recording in the application's transactions: checked at once, written last before the commit. Read {@code SpringOutbox}
 * first, then {@link dev.posthorn.spring.outbox.WatchedTransaction}. That one and {@code Traces} are public for the inbox,
 * {@code RunningRelay} for the relay.
 */
@NullMarked
package dev.posthorn.spring.outbox;

import org.jspecify.annotations.NullMarked;
