/** What people ask: where is my event, how are the subscriptions doing. Read {@code SearchController} first. */
@NullMarked
package dev.posthorn.server.events;

import org.jspecify.annotations.NullMarked;
