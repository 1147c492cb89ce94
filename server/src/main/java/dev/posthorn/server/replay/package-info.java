/** Sends dead letters and history again, over REST. */
@NullMarked
package dev.posthorn.server.replay;

import org.jspecify.annotations.NullMarked;
