/** What a relay, its subscriptions and consumers have to tell, as meters. */
@NullMarked
package dev.posthorn.metrics;

import org.jspecify.annotations.NullMarked;
