package dev.posthorn.server.overview;

/**
 * How many events are not yet delivered.
 *
 * @param exact whether they were counted; else it is an estimate
 */
record Backlog(long count, boolean exact) {}
