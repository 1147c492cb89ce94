/**
 * Sinks as subscriptions ask for them, and how they are built. Read {@code SinkDocument} first. Guards come in too: their
 * documents are those of an HTTP sink.
 */
@NullMarked
package dev.posthorn.server.subscriptions.sinks;

import org.jspecify.annotations.NullMarked;
