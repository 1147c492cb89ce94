/** What became of events, and how subscriptions are doing, as people and alerts want to see it. */
@NullMarked
package dev.posthorn.status;

import org.jspecify.annotations.NullMarked;
