package dev.posthorn.server.subscriptions.sinks;

import dev.posthorn.http.Destinations;

/**
 * What sinks are built into.
 *
 * @param destinations where they may send over HTTP
 */
public record SinkContext(Destinations destinations, Guards guards) {}
