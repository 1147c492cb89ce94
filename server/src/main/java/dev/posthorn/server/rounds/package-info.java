/** Threads that look after something again and again. */
@NullMarked
package dev.posthorn.server.rounds;

import org.jspecify.annotations.NullMarked;
