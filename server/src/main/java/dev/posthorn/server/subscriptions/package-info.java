/** Subscriptions: asked for over REST, kept with their revisions, and served by every instance's relay. */
@NullMarked
package dev.posthorn.server.subscriptions;

import org.jspecify.annotations.NullMarked;
