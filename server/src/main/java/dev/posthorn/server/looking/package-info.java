/** What people ask: where is my event, how are the subscriptions doing. */
@NullMarked
package dev.posthorn.server.looking;

import org.jspecify.annotations.NullMarked;
