/** The API's description of itself. */
@NullMarked
package dev.posthorn.server.api;

import org.jspecify.annotations.NullMarked;
