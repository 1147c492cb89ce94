/** How much callers may hold at a time, in memory and in open files; whoever reads from the network comes in. */
@NullMarked
package dev.posthorn.server.memory;

import org.jspecify.annotations.NullMarked;
