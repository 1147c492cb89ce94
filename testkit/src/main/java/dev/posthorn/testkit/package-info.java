/**
 * Databases, receivers, child processes and ports for our own tests; not published. {@link dev.posthorn.testkit.FreshDatabase}
 * and {@link dev.posthorn.testkit.Receiver} are what most tests begin with.
 */
@NullMarked
package dev.posthorn.testkit;

import org.jspecify.annotations.NullMarked;
