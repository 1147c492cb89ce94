/** What goes wrong, as callers get to see it. */
@NullMarked
package dev.posthorn.server.problem;

import org.jspecify.annotations.NullMarked;
