/** Kills the hub, its PostgreSQL and its peers while publishers go on. Read {@link HubKills} first. */
@NullMarked
package dev.posthorn.faults.hub;

import org.jspecify.annotations.NullMarked;
