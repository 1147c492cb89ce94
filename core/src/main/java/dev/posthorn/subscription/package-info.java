/**
 * What a user says of a subscription, and hears of it: read {@link dev.posthorn.subscription.Subscription} first. For everybody.
 */
@NullMarked
package dev.posthorn.subscription;

import org.jspecify.annotations.NullMarked;
