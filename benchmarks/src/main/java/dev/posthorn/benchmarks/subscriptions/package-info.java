/**
 * What many subscriptions cost a hub. Read {@link dev.posthorn.benchmarks.subscriptions.Subscriptions} first; nobody but
 * {@code Bench} comes in.
 */
@NullMarked
package dev.posthorn.benchmarks.subscriptions;

import org.jspecify.annotations.NullMarked;
