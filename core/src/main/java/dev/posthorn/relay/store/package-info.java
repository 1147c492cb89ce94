/**
 * The ports through which lanes, fronts and lease keepers see the database, and the values that pass them: read
 * {@link dev.posthorn.relay.store.LaneStore} first. Public for the other rooms of the relay and for the simulation, which has
 * a store of its own; not for users.
 */
@NullMarked
package dev.posthorn.relay.store;

import org.jspecify.annotations.NullMarked;
