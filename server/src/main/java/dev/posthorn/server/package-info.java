/** The hub: takes events over the network and looks after subscriptions. */
@NullMarked
package dev.posthorn.server;

import org.jspecify.annotations.NullMarked;
