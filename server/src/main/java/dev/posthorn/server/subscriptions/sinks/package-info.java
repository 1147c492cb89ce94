/** Sinks as subscriptions ask for them, and how they are built. */
@NullMarked
package dev.posthorn.server.subscriptions.sinks;

import org.jspecify.annotations.NullMarked;
