/**
 * Events to HTTP receivers. Read {@link dev.posthorn.benchmarks.http.Webhook} first. The receiver and what it notes are public
 * for the benchmark of replays.
 */
@NullMarked
package dev.posthorn.benchmarks.http;

import org.jspecify.annotations.NullMarked;
