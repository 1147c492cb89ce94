/**
 * Guards: each event is forwarded once to a system that cannot be changed, and nothing in doubt is repeated by itself. Read
 * {@code Forwarder} first. Nobody comes in; subscriptions meet guards by {@code Guards} of {@code subscriptions.sinks}.
 */
@NullMarked
package dev.posthorn.server.guard;

import org.jspecify.annotations.NullMarked;
