/** What the hub does again and again in the background. {@code PeriodicTask} is all there is; any other room may extend it. */
@NullMarked
package dev.posthorn.server.periodic;

import org.jspecify.annotations.NullMarked;
