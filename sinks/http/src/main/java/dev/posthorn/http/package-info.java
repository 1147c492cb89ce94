/**
 * Delivers events to HTTP receivers. {@link dev.posthorn.http.HttpSink} and its settings are for users; {@code
 * Exchange}, the way of one event, is the page to read first. The packages below are the sink's own: {@code
 * ArchitectureTest} fails when another module uses them.
 */
@NullMarked
package dev.posthorn.http;

import org.jspecify.annotations.NullMarked;
