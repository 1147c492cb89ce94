/** What Prometheus gets to see. */
@NullMarked
package dev.posthorn.server.metrics;

import org.jspecify.annotations.NullMarked;
