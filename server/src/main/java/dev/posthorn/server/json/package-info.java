/** How the hub reads and writes JSON. */
@NullMarked
package dev.posthorn.server.json;

import org.jspecify.annotations.NullMarked;
