/** The event log: its schema, writing to it, and reading it by windows of snapshots. */
@NullMarked
package dev.posthorn.log;

import org.jspecify.annotations.NullMarked;
