/**
 * The stores of lanes, fronts and sessions in PostgreSQL; every statement is here. Read
 * {@link dev.posthorn.relay.postgres.PostgresLaneStore} first. Public for the relay and for the tests that run the simulation's
 * stores against these; not for users.
 */
@NullMarked
package dev.posthorn.relay.postgres;

import org.jspecify.annotations.NullMarked;
