package dev.posthorn.server.ingest;

import dev.posthorn.event.Event;
import java.util.List;

/**
 * The events of a request.
 *
 * @param array whether they came as an array, which is then answered with one
 * @param refusals knows what the caller calls things, if something is found wrong with them later
 */
record Batch(List<Event> events, boolean array, Refusals refusals) {}
