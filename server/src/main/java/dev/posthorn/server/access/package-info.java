/** Who may call, and what. */
@NullMarked
package dev.posthorn.server.access;

import org.jspecify.annotations.NullMarked;
