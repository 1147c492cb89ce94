/**
 * How lanes ride: what reads the tail of the log once for all lanes of a connection, hands each event to those that want it, and
 * writes by one row how far all of them are settled. Read {@link dev.posthorn.relay.front.Front} first. Public for the lanes
 * and for whoever steps them; not for users.
 */
@NullMarked
package dev.posthorn.relay.front;

import org.jspecify.annotations.NullMarked;
