/**
 * How requests get to receivers: on the {@code Reactor} that all sinks share, over the sink's own {@code Connections}, each
 * as one {@code Transfer}. Public for the HTTP sink alone.
 */
@NullMarked
package dev.posthorn.http.client;

import org.jspecify.annotations.NullMarked;
