/**
 * How fast the hub takes events by REST and gRPC. Read {@link dev.posthorn.benchmarks.hub.Ingest} first; nobody but
 * {@code Bench} comes in.
 */
@NullMarked
package dev.posthorn.benchmarks.hub;

import org.jspecify.annotations.NullMarked;
